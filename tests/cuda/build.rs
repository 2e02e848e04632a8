//! The workloads with the option `cuda`, in `f64` and in `f32`, as functions with the arguments that they have on the CPU: what they
//! take is copied to the device, and back.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use std::path::{Path, PathBuf};
use syn::{FnArg, Item, ItemFn, ItemStruct, Meta, Pat, Type};

fn main() {
    // in the cases of the workloads: their crate has modes that no GPU runs
    println!("cargo::rustc-check-cfg=cfg(feature, values(\"modes\"))");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads");
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = std::fs::read_dir(&folder).expect("the workloads");
    let files = entries.map(|entry| entry.expect("an entry").path());
    let is_kernel =
        |path: &PathBuf| path.extension().is_some_and(|it| it == "rs") && !path.ends_with("lib.rs");
    let mut files: Vec<PathBuf> = files.filter(is_kernel).collect();
    files.sort();
    let all: String = files.iter().map(|file| module(file)).collect();
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo says where"));
    std::fs::write(out.join("workloads.rs"), all).expect("the folder can be written");
}

/// The module of a file; empty, where it has no function of its own.
fn module(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let lines = text.lines().filter(|line| !line.starts_with("//!"));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    let name = file.file_stem().and_then(|it| it.to_str()).expect("a name");
    let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let wide = text
        .replace("#[differentiate(", "#[differentiate(cuda, ")
        .replace("#[differentiate]", "#[differentiate(cuda)]");
    let narrow = wide.replace("f64", "f32");
    let calls: String = parsed.items.iter().map(|item| calls(item, name)).collect();
    if calls.is_empty() {
        return String::new();
    }
    let parts = [("in_f64", wide), ("in_f32", narrow)];
    let parts = parts.map(|(name, text)| format!("#[allow(dead_code, reason = \"a workload has parts for the CPU alone\")]\nmod {name} {{\n{text}}}\n"));
    format!(
        "/// The workload `{name}`.\n#[allow(clippy::all)]\npub mod {name} {{\n{}{calls}\n}}\n",
        parts.concat()
    )
}

/// The functions of an item that are called on the device, in a module of their own where they stand in one.
fn calls(item: &Item, file: &str) -> String {
    match item {
        Item::Fn(function) => {
            let around = Around {
                file: format_ident!("{file}"),
                up: quote!(super),
                inside: quote!(),
                structs: Vec::new(),
            };
            Kernel::of(function, around).map_or_else(String::new, |kernel| kernel.module().to_string())
        }
        Item::Mod(module) => {
            let Some((_, items)) = &module.content else { return String::new() };
            let (name, file) = (&module.ident, format_ident!("{file}"));
            let structs = items.iter().filter_map(|item| match item {
                Item::Struct(record) => Some(record.clone()),
                _ => None,
            });
            let structs: Vec<ItemStruct> = structs.collect();
            let kernels = items.iter().filter_map(|item| match item {
                Item::Fn(function) => {
                    let (up, inside) = (quote!(super::super), quote!(::#name));
                    Kernel::of(function, Around { file: file.clone(), up, inside, structs: structs.clone() })
                }
                _ => None,
            });
            let kernels: TokenStream = kernels.map(|kernel| kernel.module()).collect();
            let module = quote! {
                /// Functions of a module.
                pub mod #name {
                    pub use pardiff_workloads::#file::#name::*;
                    #kernels
                }
            };
            module.to_string()
        }
        _ => String::new(),
    }
}

/// Where a function stands.
struct Around {
    /// The name of its file.
    file: Ident,
    /// The way up from its module to where the kernels are.
    up: TokenStream,
    /// The way from there.
    inside: TokenStream,
    /// The structs beside it.
    structs: Vec<ItemStruct>,
}

/// A parameter of a workload.
struct Parameter {
    name: Ident,
    ty: Type,
    active: bool,
}

impl Parameter {
    /// A reference to an array, whose elements are of this type; or none, for a number.
    fn element(&self) -> Option<Type> {
        let Type::Reference(reference) = &self.ty else { return None };
        match &*reference.elem {
            Type::Slice(slice) => Some((*slice.elem).clone()),
            Type::Array(array) => Some((*array.elem).clone()),
            _ => None,
        }
    }

    fn adjoint(&self) -> Option<Ident> {
        self.active.then(|| format_ident!("adjoint_of_{}", self.name))
    }

    fn on_device(&self) -> Ident {
        format_ident!("on_{}", self.name)
    }

    fn adjoint_on_device(&self) -> Ident {
        format_ident!("on_adjoint_of_{}", self.name)
    }

    fn adjoint_type(&self) -> TokenStream {
        match &self.ty {
            Type::Reference(reference) => {
                let elem = &reference.elem;
                quote!(&mut #elem)
            }
            ty => quote!(&mut #ty),
        }
    }
}

/// A type with that float in the place of `f64`.
fn with_float(ty: &Type, float: &str) -> Type {
    let text = ty.to_token_stream().to_string().replace("f64", float);
    syn::parse_str(&text).expect("a type")
}

struct Kernel<'a> {
    function: &'a ItemFn,
    around: Around,
    parameters: Vec<Parameter>,
}

impl Kernel<'_> {
    /// A function that is differentiated, by the words of its attribute.
    fn of(function: &ItemFn, around: Around) -> Option<Kernel<'_>> {
        let attribute = function.attrs.iter().find(|it| it.path().is_ident("differentiate"))?;
        let words = match &attribute.meta {
            Meta::List(list) => list.tokens.to_string(),
            _ => String::new(),
        };
        let listed = words.split_once("wrt").map(|(_, list)| list.replace(['(', ')', ' '], ""));
        let parameter = |input: &FnArg| {
            let FnArg::Typed(input) = input else { panic!("a function has no `self`") };
            let Pat::Ident(pattern) = &*input.pat else { panic!("a parameter has a name") };
            let (name, ty) = (pattern.ident.clone(), (*input.ty).clone());
            let is_float = ty.to_token_stream().to_string().contains("f64");
            let is_listed = listed.as_ref().is_none_or(|list| list.split(',').any(|it| name == it));
            Parameter { name, ty, active: is_float && is_listed }
        };
        Some(Kernel { function, around, parameters: function.sig.inputs.iter().map(parameter).collect() })
    }

    /// The function, and the module beside it.
    fn module(&self) -> TokenStream {
        let (name, inputs, output) =
            (&self.function.sig.ident, &self.function.sig.inputs, &self.function.sig.output);
        let names: Vec<&Ident> = self.parameters.iter().map(|it| &it.name).collect();
        let mut declared = Vec::new();
        let mut forwarded = Vec::new();
        for parameter in &self.parameters {
            let (name, ty) = (&parameter.name, &parameter.ty);
            declared.push(quote!(#name: #ty));
            forwarded.push(quote!(#name));
            if let Some(adjoint) = parameter.adjoint() {
                let ty = parameter.adjoint_type();
                declared.push(quote!(#adjoint: #ty));
                forwarded.push(quote!(#adjoint));
            }
        }
        let adjoints: Vec<Ident> = self.parameters.iter().filter_map(Parameter::adjoint).collect();
        let [wide, narrow] =
            [("f64", "in_f64"), ("f32", "in_f32")].map(|(float, module)| self.call(float, module));
        let Around { file, up, inside, structs } = &self.around;
        let (uses, value) = match structs.is_empty() {
            true => (quote!(), quote!(#up::in_f64::#name)),
            // structs are those of the crate that has the data
            false => (
                quote!(
                    use super::*;
                ),
                quote!(pardiff_workloads::#file #inside::#name),
            ),
        };
        quote! {
            /// The workload itself.
            pub fn #name(#inputs) #output {
                #name::value(#(#names),*)
            }
            /// What is generated for it.
            pub mod #name {
                use crate::device;
                #uses
                /// What was decided.
                pub const DECISIONS: &str = #up::in_f64 #inside::#name::DECISIONS;
                /// The workload itself.
                pub fn value(#inputs) #output {
                    #value(#(#names),*)
                }
                /// Value and gradient by the device, which adds to the adjoints.
                pub fn grad(#(#declared),*) #output {
                    let gpu = device::gpu();
                    if device::is_narrow() { #narrow } else { #wide }
                }
                /// The same, from zero on.
                pub fn grad_into(#(#declared),*) #output {
                    #(device::Zero::zero(#adjoints);)*
                    grad(#(#forwarded),*)
                }
            }
        }
    }

    /// The struct of a `&Struct`.
    fn record(&self, ty: &Type) -> Option<&ItemStruct> {
        let Type::Reference(reference) = ty else { return None };
        let Type::Path(path) = &*reference.elem else { return None };
        self.around.structs.iter().find(|record| path.path.is_ident(&record.ident))
    }

    /// The call on the device, with floats of that type.
    fn call(&self, float: &str, module: &str) -> TokenStream {
        let (name, module) = (&self.function.sig.ident, format_ident!("{module}"));
        let (up, inside) = (&self.around.up, &self.around.inside);
        let (mut before, mut passed, mut after) = (Vec::new(), Vec::new(), Vec::new());
        for parameter in &self.parameters {
            let (host, on_device) = (&parameter.name, parameter.on_device());
            if let Some(record) = self.record(&parameter.ty) {
                let fields = record.fields.iter().map(|field| &field.ident);
                let (up, inside, of) = (&self.around.up, &self.around.inside, &record.ident);
                before.push(quote!(let #on_device = #up::#module #inside::#of { #(#fields: device::Like::like(&#host.#fields)),* };));
                passed.push(quote!(&#on_device));
                continue;
            }
            let element = parameter.element();
            let of_device = with_float(element.as_ref().unwrap_or(&parameter.ty), float);
            before.push(match element {
                Some(_) => quote!(let #on_device = device::upload::<_, #of_device>(&gpu, &#host[..]);),
                None => quote!(let #on_device: #of_device = device::Like::like(&#host);),
            });
            passed.push(match element {
                Some(_) => quote!(&#on_device),
                None => quote!(#on_device),
            });
            let Some(adjoint) = parameter.adjoint() else { continue };
            let on_device = parameter.adjoint_on_device();
            before.push(match element {
                Some(_) => quote!(let mut #on_device = device::upload::<_, #of_device>(&gpu, &#adjoint[..]);),
                None => quote!(let mut #on_device: #of_device = device::Like::like(&*#adjoint);),
            });
            passed.push(quote!(&mut #on_device));
            after.push(match element {
                Some(_) => quote!(device::download(&#on_device, &mut #adjoint[..]);),
                None => quote!(*#adjoint = device::Like::like(&#on_device);),
            });
        }
        quote! {
            #(#before)*
            let value = #up::#module #inside::#name::cuda::grad(&gpu, #(#passed),*);
            let value = device::answer(value);
            #(#after)*
            device::time(&gpu, || #up::#module #inside::#name::cuda::grad(&gpu, #(#passed),*).map(|_| ()));
            f64::from(value)
        }
    }
}
