//! Operations of all ranks whose parts differ in length, as the operations that they consist of.
//!
//! ```text
//! world.all_gather_varcount_into(&own, &mut parts)       for rank in 0..world.size() {
//!                                                            let part = …;
//!                                                            if rank == world.rank() { part.copy_from_slice(&own) }
//!                                                            world.process_at_rank(rank).broadcast_into(part);
//!                                                        }
//! world.all_to_all_varcount_into(&from, &mut to)         an exchange with each rank, at each distance in turn
//! root.gather_varcount_into(&own)                        a message to the root
//! root.gather_varcount_into_root(&own, &mut parts)       a message from each other rank
//! root.scatter_varcount_into…                            the same in the other direction
//! ```
//!
//! A partition is the tuple of its buffer, its counts and where the parts begin. All ranks run the same generated
//! function, so that they agree on these messages, which have a tag of their own.

use super::super::display::tidy;
use super::super::hygiene::fresh_at;
use super::super::infer::Type;
use super::super::tree::{Expr, Kind};
use super::Resolver;
use super::messages::RANKS;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

/// The tag of messages that operations of all ranks consist of: the last one below those of derivatives.
const TAG: i32 = (1 << 14) - 1;

pub(super) fn tag_of_parts(span: Span) -> Expr {
    Expr::new(Kind::Int(TAG.into()), RANKS, span)
}

/// The names that a call stands for.
struct Names<'e> {
    call: &'e syn::ExprMethodCall,
    world: Ident,
    own: Ident,
    parts: Ident,
    part: Ident,
    rank: Ident,
}

impl<'e> Names<'e> {
    fn of(call: &'e syn::ExprMethodCall) -> Names<'e> {
        let new = |name: &str| fresh_at(name, call.span(), call.to_token_stream());
        let [world, own, parts, part, rank] = ["world", "own", "parts", "part", "rank"].map(new);
        Names { call, world, own, parts, part, rank }
    }

    /// Where the part of a rank is.
    fn range(&self, parts: &Ident, rank: &TokenStream) -> TokenStream {
        quote_spanned!(self.call.span()=> #parts.2[(#rank) as usize] as usize
            ..#parts.2[(#rank) as usize] as usize + #parts.1[(#rank) as usize] as usize)
    }
}

impl Resolver<'_> {
    /// `Partition::new(&buffer[..], counts, displs)`, and that of a `PartitionMut`.
    pub(super) fn partition(&mut self, names: &[&str], e: &syn::ExprCall) -> Option<Expr> {
        let [.., "Partition" | "PartitionMut", "new"] = names else { return None };
        let args: Vec<&syn::Expr> = e.args.iter().collect();
        let [buffer, counts, displs] = args[..] else { return None };
        Some(self.expr(&syn::parse_quote_spanned!(e.span()=> (#buffer, #counts, #displs))))
    }

    pub(super) fn all_gather_of_parts(
        &mut self,
        e: &syn::ExprMethodCall,
        own: &syn::Expr,
        parts: &syn::Expr,
    ) -> Expr {
        let (names, receiver) = (Names::of(e), &e.receiver);
        let Names { world, part, rank, .. } = &names;
        let from_rank = quote_spanned!(e.span()=> #world.process_at_rank(#rank).broadcast_into(#part););
        self.gathered(&names, quote_spanned!(e.span()=> &#receiver), own, parts, from_rank)
    }

    pub(super) fn gather_of_parts(
        &mut self,
        e: &syn::ExprMethodCall,
        own: &syn::Expr,
        parts: &syn::Expr,
    ) -> Expr {
        let (names, receiver) = (Names::of(e), &e.receiver);
        let Names { world, part, rank, .. } = &names;
        let from_others = quote_spanned!(e.span()=> else {
            #world.process_at_rank(#rank).receive_into_with_tag(#part, #TAG);
        });
        let of = quote_spanned!(e.span()=> #receiver.as_communicator());
        self.gathered(&names, of, own, parts, from_others)
    }

    /// Copies the part of this rank, and does what follows `if` for each of them.
    fn gathered(
        &mut self,
        names: &Names<'_>,
        of: TokenStream,
        own: &syn::Expr,
        parts: &syn::Expr,
        then: TokenStream,
    ) -> Expr {
        let Names { call, world, own: sent, parts: to, part, rank } = names;
        let own = self.as_slice(own);
        let range = names.range(to, &rank.to_token_stream());
        self.in_place_of(
            call,
            quote_spanned!(call.span()=> {
                let (#world, #sent, #to) = (#of, #own, #parts);
                for #rank in 0..#world.size() {
                    let #part = &mut #to.0[#range];
                    if #rank == #world.rank() {
                        #part.copy_from_slice(#sent);
                    }
                    #then
                }
            }),
        )
    }

    pub(super) fn all_to_all_of_parts(
        &mut self,
        e: &syn::ExprMethodCall,
        from: &syn::Expr,
        to: &syn::Expr,
    ) -> Expr {
        let names = Names::of(e);
        let Names { world, own: sent, parts: received, rank: distance, .. } = &names;
        let receiver = &e.receiver;
        let [next, last] = ["next", "last"].map(|name| fresh_at(name, e.span(), e.to_token_stream()));
        let [sent_range, received_range] =
            [(sent, &next), (received, &last)].map(|(of, rank)| names.range(of, &rank.to_token_stream()));
        self.in_place_of(
            e,
            quote_spanned!(e.span()=> {
                let (#world, #sent, #received) = (&#receiver, #from, #to);
                for #distance in 0..#world.size() {
                    let #next = (#world.rank() + #distance) % #world.size();
                    let #last = (#world.rank() + #world.size() - #distance) % #world.size();
                    point_to_point::send_receive_into_with_tags(
                        &#sent.0[#sent_range],
                        &#world.process_at_rank(#next),
                        #TAG,
                        &mut #received.0[#received_range],
                        &#world.process_at_rank(#last),
                        #TAG,
                    );
                }
            }),
        )
    }

    pub(super) fn scatter_of_parts(
        &mut self,
        e: &syn::ExprMethodCall,
        parts: &syn::Expr,
        own: &syn::Expr,
    ) -> Expr {
        let names = Names::of(e);
        let Names { world, own: received, parts: from, part, rank, .. } = &names;
        let receiver = &e.receiver;
        let is_number = !self.is_array(own);
        let copied = match is_number {
            true => quote_spanned!(e.span()=> *#received = #part[0]),
            false => quote_spanned!(e.span()=> #received.copy_from_slice(#part)),
        };
        let range = names.range(from, &rank.to_token_stream());
        self.in_place_of(
            e,
            quote_spanned!(e.span()=> {
                let (#world, #from, #received) = (#receiver.as_communicator(), #parts, #own);
                for #rank in 0..#world.size() {
                    let #part = &#from.0[#range];
                    if #rank == #world.rank() {
                        #copied;
                    } else {
                        #world.process_at_rank(#rank).send_with_tag(#part, #TAG);
                    }
                }
            }),
        )
    }

    /// What stands for a call, whose text messages keep.
    fn in_place_of(&mut self, call: &syn::ExprMethodCall, tokens: TokenStream) -> Expr {
        match syn::parse2(tokens) {
            Ok(block) => {
                self.message_written = Some(tidy(call));
                let value = self.expr(&block);
                self.message_written = None;
                value
            }
            Err(_) => self.error(call.span()),
        }
    }

    /// What is sent as a slice: a number is one of a single element.
    fn as_slice(&mut self, sent: &syn::Expr) -> TokenStream {
        match self.is_array(sent) {
            true => quote_spanned!(sent.span()=> &(#sent)[..]),
            false => quote_spanned!(sent.span()=> &[*(#sent)][..]),
        }
    }

    fn is_array(&mut self, of: &syn::Expr) -> bool {
        let of = self.expr(of);
        matches!(self.infer.peel(&of.ty), Type::Array(..))
    }
}
