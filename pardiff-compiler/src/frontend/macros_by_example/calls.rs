//! Whether there are macros in syntax: most of what is read has none.

use crate::visit::Visit;
use syn::Macro;

/// Whether what is visited calls or declares a macro.
pub(super) fn calls(visit: impl FnOnce(&mut dyn Visit)) -> bool {
    struct Find(bool);
    impl Visit for Find {
        fn visitor(&mut self) -> &mut dyn Visit {
            self
        }

        fn visit_macro(&mut self, _: &Macro) {
            self.0 = true;
        }
    }
    let mut find = Find(false);
    visit(&mut find);
    find.0
}
