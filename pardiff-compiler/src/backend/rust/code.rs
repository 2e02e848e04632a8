//! Generated code while it grows: words and parts that are code, made into tokens once, at the end.
//!
//! *Comes in*: templates, as `quote!` takes them. *Goes out*: tokens with the hygiene of generated code. *Guarantees*: the
//! tokens that `quote!` would make. *Never*: parses.
//!
//! Every token stream lives in the compiler that runs the macro; each one that is made, put into another or copied is a
//! call there, and the streams of inner expressions are copied into those of outer ones again and again. Here code that
//! becomes part of other code is shared with it.

use crate::limits::{REMEMBERED_WORDS, WORDS_OF_A_TEMPLATE};
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::rc::Rc;
use std::str::FromStr;

/// A piece of generated code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    words: Rc<Vec<Word>>,
}

/// Code that grows at its end.
pub(crate) struct Draft {
    words: Vec<Word>,
}

#[derive(Clone, Debug)]
enum Word {
    /// A word of a template: a name, a lifetime, a literal or an operator.
    Text(&'static str),
    Open(Delimiter),
    Close,
    Tree(TokenTree),
    Part(Code),
}

/// What a template may name.
pub(crate) trait Piece {
    /// Puts it behind the code.
    fn add_to(&self, code: &mut Draft);
}

impl Code {
    /// No code.
    pub(crate) fn new() -> Code {
        Code::default()
    }

    /// Code of one word.
    pub(crate) fn word(word: &'static str) -> Code {
        Code { words: Rc::new(vec![Word::Text(word)]) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether the code is this one word.
    pub(crate) fn is(&self, word: &str) -> bool {
        match &self.words[..] {
            [Word::Text(text)] => *text == word,
            [Word::Tree(tree)] => tree.to_string() == word,
            _ => false,
        }
    }

    pub(crate) fn push(&mut self, more: Code) {
        if self.is_empty() {
            *self = more;
        } else {
            Rc::make_mut(&mut self.words).push(more.into_word());
        }
    }

    /// The code as a word of other code: itself if it is one word.
    fn into_word(self) -> Word {
        match &self.words[..] {
            [word] => word.clone(),
            _ => Word::Part(self),
        }
    }

    /// The words, as text: two pieces of code with the same words are the same but for places in the source.
    pub(crate) fn words(&self) -> String {
        let mut text = String::new();
        self.add_words(&mut text);
        text
    }

    fn add_words(&self, text: &mut String) {
        for word in self.words.iter() {
            match word {
                Word::Text(word) => *text += word,
                Word::Open(Delimiter::Parenthesis) => *text += "(",
                Word::Open(Delimiter::Bracket) => *text += "[",
                Word::Open(_) => *text += "{",
                Word::Close => *text += ")",
                Word::Tree(tree) => *text += &tree.to_string(),
                Word::Part(part) => part.add_words(text),
            }
            text.push(' ');
        }
    }

    /// The tokens.
    pub(crate) fn tokens(&self) -> TokenStream {
        let mut writer = Writer {
            span: Span::mixed_site(),
            words: vec![None; REMEMBERED_WORDS],
            trees: Vec::new(),
            open: Vec::new(),
        };
        writer.write(self);
        writer.trees.into_iter().collect()
    }
}

impl Draft {
    pub(crate) fn new() -> Draft {
        Draft { words: Vec::with_capacity(WORDS_OF_A_TEMPLATE) }
    }

    pub(crate) fn text(&mut self, word: &'static str) {
        self.words.push(Word::Text(word));
    }

    pub(crate) fn open(&mut self, delimiter: Delimiter) {
        self.words.push(Word::Open(delimiter));
    }

    pub(crate) fn close(&mut self) {
        self.words.push(Word::Close);
    }

    pub(crate) fn add(&mut self, piece: &(impl Piece + ?Sized)) {
        piece.add_to(self);
    }

    fn push(&mut self, more: Code) {
        if !more.is_empty() {
            self.words.push(more.into_word());
        }
    }

    /// The code; that of its only part, if there is nothing else.
    pub(crate) fn done(self) -> Code {
        match &self.words[..] {
            [Word::Part(part)] => part.clone(),
            _ => Code { words: Rc::new(self.words) },
        }
    }
}

/// Tokens in the making.
struct Writer {
    span: Span,
    /// Words that were written, by their addresses: most are written again and again.
    words: Vec<Option<(&'static str, TokenTree)>>,
    /// Of the innermost group that is open.
    trees: Vec<TokenTree>,
    /// Groups that are open, with what stands before them.
    open: Vec<(Delimiter, Vec<TokenTree>)>,
}

impl Writer {
    fn write(&mut self, code: &Code) {
        for word in code.words.iter() {
            match word {
                Word::Text(text) => self.text(text),
                Word::Tree(tree) => self.trees.push(tree.clone()),
                Word::Part(part) => self.write(part),
                Word::Open(delimiter) => self.open.push((*delimiter, std::mem::take(&mut self.trees))),
                Word::Close => {
                    let Some((delimiter, outer)) = self.open.pop() else { continue };
                    let inner = std::mem::replace(&mut self.trees, outer);
                    let mut group = Group::new(delimiter, inner.into_iter().collect());
                    group.set_span(self.span);
                    self.trees.push(TokenTree::Group(group));
                }
            }
        }
    }
}

impl Writer {
    fn text(&mut self, text: &'static str) {
        let slot = (text.as_ptr().addr() ^ text.len()) % REMEMBERED_WORDS;
        if let Some((known, tree)) = &self.words[slot]
            && std::ptr::eq(*known, text)
        {
            return self.trees.push(tree.clone());
        }
        let before = self.trees.len();
        push_text(text, self.span, &mut self.trees);
        if let [tree] = &self.trees[before..] {
            self.words[slot] = Some((text, tree.clone()));
        }
    }
}

/// Words around the pieces of a list: before each, between two, after each; or none.
#[derive(Clone, Copy, Default)]
pub(crate) struct Around {
    pub(crate) before: &'static str,
    pub(crate) between: &'static str,
    pub(crate) after: &'static str,
}

/// Pieces that an iterator makes.
pub(crate) trait PiecesOf {
    /// Puts all behind the code.
    fn add_each(self, code: &mut Draft, around: Around);
}

impl<I: Iterator<Item: Piece>> PiecesOf for I {
    fn add_each(self, code: &mut Draft, around: Around) {
        for (at, piece) in self.enumerate() {
            for word in [if at > 0 { around.between } else { "" }, around.before] {
                if !word.is_empty() {
                    code.text(word);
                }
            }
            code.add(&piece);
            if !around.after.is_empty() {
                code.text(around.after);
            }
        }
    }
}

/// Pieces that stand in a slice.
pub(crate) trait PiecesIn {
    /// Puts all behind the code.
    fn add_each(&self, code: &mut Draft, around: Around);
}

impl<P: Piece> PiecesIn for [P] {
    fn add_each(&self, code: &mut Draft, around: Around) {
        self.iter().add_each(code, around);
    }
}

/// The tokens of a word.
fn push_text(text: &str, span: Span, trees: &mut Vec<TokenTree>) {
    let operator = |text: &str, last: Spacing, trees: &mut Vec<TokenTree>| {
        let signs = text.as_bytes();
        let mut at = 0;
        while at < signs.len() {
            let ends = at + 1 == signs.len();
            let mut punct = Punct::new(signs[at].into(), if ends { last } else { Spacing::Joint });
            punct.set_span(span);
            trees.push(TokenTree::Punct(punct));
            at += 1;
        }
    };
    match text.as_bytes().first() {
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => trees.push(TokenTree::Ident(Ident::new(text, span))),
        Some(b'\'') => {
            operator("'", Spacing::Joint, trees);
            trees.push(TokenTree::Ident(Ident::new(&text[1..], span)));
        }
        Some(b'0'..=b'9' | b'"') => {
            let number = text.parse::<u32>().map(Literal::u32_unsuffixed);
            let literal = number.or_else(|_| Literal::from_str(text));
            let mut literal = literal.unwrap_or_else(|_| Literal::string(text));
            literal.set_span(span);
            trees.push(TokenTree::Literal(literal));
        }
        _ => operator(text, Spacing::Alone, trees),
    }
}

impl Piece for Code {
    fn add_to(&self, code: &mut Draft) {
        code.push(self.clone());
    }
}

impl Piece for Ident {
    fn add_to(&self, code: &mut Draft) {
        code.words.push(Word::Tree(TokenTree::Ident(self.clone())));
    }
}

impl Piece for TokenTree {
    fn add_to(&self, code: &mut Draft) {
        code.words.push(Word::Tree(self.clone()));
    }
}

impl Piece for TokenStream {
    fn add_to(&self, code: &mut Draft) {
        code.words.extend(self.clone().into_iter().map(Word::Tree));
    }
}

/// What syn parsed.
macro_rules! parsed {
    ($($ty:ty),*) => {
        $(
            impl Piece for $ty {
                fn add_to(&self, code: &mut Draft) {
                    self.to_token_stream().add_to(code);
                }
            }
        )*
    };
}
parsed!(syn::Path, syn::Member, syn::Index, Literal);

impl<P: Piece + ?Sized> Piece for &P {
    fn add_to(&self, code: &mut Draft) {
        (**self).add_to(code);
    }
}

impl<P: Piece> Piece for Option<P> {
    fn add_to(&self, code: &mut Draft) {
        if let Some(piece) = self {
            piece.add_to(code);
        }
    }
}

impl From<TokenStream> for Code {
    fn from(tokens: TokenStream) -> Code {
        Code { words: Rc::new(tokens.into_iter().map(Word::Tree).collect()) }
    }
}

impl From<Code> for TokenStream {
    fn from(code: Code) -> TokenStream {
        code.tokens()
    }
}

impl ToTokens for Code {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.tokens());
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.tokens().fmt(f)
    }
}

impl Extend<Code> for Code {
    fn extend<I: IntoIterator<Item = Code>>(&mut self, pieces: I) {
        pieces.into_iter().for_each(|piece| self.push(piece));
    }
}

impl FromIterator<Code> for Code {
    fn from_iter<I: IntoIterator<Item = Code>>(pieces: I) -> Code {
        let mut code = Draft::new();
        pieces.into_iter().for_each(|piece| code.push(piece));
        code.done()
    }
}

/// `Code` of a template: `#name` is a [`Piece`] that stands in scope; of a slice or an iterator of them, `#(#name)*`,
/// `#(#name),*`, `#(#name,)*` and `#(, #name)*` put all.
macro_rules! code {
    ($($template:tt)*) => {{
        #[allow(unused_mut, reason = "a template may be empty")]
        let mut code = $crate::backend::rust::code::Draft::new();
        $crate::backend::rust::code::words!(code $($template)*);
        code.done()
    }};
}
pub(crate) use code;

/// Puts the words of a template behind the code.
macro_rules! words {
    ($code:ident) => {};
    (@each $code:ident $list:ident $($field:ident $word:literal)?) => {{
        #[allow(unused_imports, reason = "the list is an iterator or a slice")]
        use $crate::backend::rust::code::{PiecesIn as _, PiecesOf as _};
        #[allow(clippy::needless_update, reason = "a list may have no words around it")]
        let around = $crate::backend::rust::code::Around { $($field: $word,)? ..Default::default() };
        $list.add_each(&mut $code, around);
    }};
    ($code:ident # ( # $list:ident ) * $($rest:tt)*) => {
        $crate::backend::rust::code::words!(@each $code $list );
        $crate::backend::rust::code::words!($code $($rest)*);
    };
    ($code:ident # ( # $list:ident ) , * $($rest:tt)*) => {
        $crate::backend::rust::code::words!(@each $code $list between ",");
        $crate::backend::rust::code::words!($code $($rest)*);
    };
    ($code:ident # ( # $list:ident , ) * $($rest:tt)*) => {
        $crate::backend::rust::code::words!(@each $code $list after ",");
        $crate::backend::rust::code::words!($code $($rest)*);
    };
    ($code:ident # ( , # $list:ident ) * $($rest:tt)*) => {
        $crate::backend::rust::code::words!(@each $code $list before ",");
        $crate::backend::rust::code::words!($code $($rest)*);
    };
    ($code:ident # $piece:ident $($rest:tt)*) => {
        $code.add(&$piece);
        $crate::backend::rust::code::words!($code $($rest)*);
    };
    ($code:ident ( $($inner:tt)* ) $($rest:tt)*) => {
        $code.open(::proc_macro2::Delimiter::Parenthesis);
        $crate::backend::rust::code::words!($code $($inner)*);
        $code.close();
        $crate::backend::rust::code::words!($code $($rest)*);
    };
    ($code:ident [ $($inner:tt)* ] $($rest:tt)*) => {
        $code.open(::proc_macro2::Delimiter::Bracket);
        $crate::backend::rust::code::words!($code $($inner)*);
        $code.close();
        $crate::backend::rust::code::words!($code $($rest)*);
    };
    ($code:ident { $($inner:tt)* } $($rest:tt)*) => {
        $code.open(::proc_macro2::Delimiter::Brace);
        $crate::backend::rust::code::words!($code $($inner)*);
        $code.close();
        $crate::backend::rust::code::words!($code $($rest)*);
    };
    ($code:ident $word:tt $($rest:tt)*) => {
        $code.text(stringify!($word));
        $crate::backend::rust::code::words!($code $($rest)*);
    };
}
pub(crate) use words;

#[cfg(test)]
mod tests {
    use quote::{format_ident, quote};

    #[test]
    fn a_template_makes_the_tokens_of_quote() {
        let (name, list) = (format_ident!("x"), [code!(a + 1), code!(b)]);
        let pairs = [
            (
                code!(let #name: [f64; 3] = if y >= 0.5_f64 { x::<_>(..=2) } else { -z };),
                quote!(let #name: [f64; 3] = if y >= 0.5_f64 { x::<_>(..=2) } else { -z };),
            ),
            (
                code!(#[inline(always)] fn f<'a>(&'a self) -> &'_ u8),
                quote!(#[inline(always)] fn f<'a>(&'a self) -> &'_ u8),
            ),
            (code!(f(#(#list),*) [#(#list,)*] {#(#list)*} g(0 #(, #list)*)), {
                let list = list.each_ref().map(|code| code.clone().tokens());
                quote!(f(#(#list),*) [#(#list,)*] {#(#list)*} g(0 #(, #list)*))
            }),
            (
                code!(
                    "a \" b"
                        || &&|_, y| {
                            x <<= 7;
                        }
                ),
                quote!(
                    "a \" b"
                        || &&|_, y| {
                            x <<= 7;
                        }
                ),
            ),
            (code!(), quote!()),
        ];
        for (code, tokens) in pairs {
            assert_eq!(code.to_string(), tokens.to_string());
        }
    }

    #[test]
    fn code_grows_at_its_end() {
        let mut code = code!(a);
        code.extend([code!(b), code!((c))]);
        assert_eq!(code.to_string(), "a b (c)");
        assert!(!code.is_empty() && code!().is_empty());
        assert!(code!(0_usize).is("0_usize") && !code!(-0).is("0"));
    }
}
