//! Machine code between runs of the program: one file for each text and target.
//!
//! A file that cannot be read, or is not what it should be, is as good as none.

use super::Error;
use super::nvrtc::Target;
use std::path::PathBuf;

/// Where the files are: the folder that `PARDIFF_CACHE` names, or the user's for caches. An empty name is no folder.
fn folder() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("PARDIFF_CACHE") {
        return (!named.is_empty()).then(|| PathBuf::from(named));
    }
    let of_user = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let of_home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    Some(of_user.filter(|it| it.is_absolute()).or_else(of_home)?.join("pardiff"))
}

/// The machine code of a text: the file's, or a new one that is kept.
pub(super) fn get_or_make(
    text: &str,
    target: &Target,
    make: impl FnOnce(&Target) -> Result<Vec<u8>, Error>,
) -> Result<Vec<u8>, Error> {
    let file = folder().map(|folder| folder.join(name(text, target)));
    get_or_make_in(file, text, target, make)
}

fn get_or_make_in(
    file: Option<PathBuf>,
    text: &str,
    target: &Target,
    make: impl FnOnce(&Target) -> Result<Vec<u8>, Error>,
) -> Result<Vec<u8>, Error> {
    // the text itself stands in front, so that texts of one name are told apart
    let head = format!("pardiff {} {} {}\n{text}\n", target.architecture, target.by, text.len());
    if let Some(kept) = file.as_ref().and_then(|file| std::fs::read(file).ok())
        && let Some(image) = kept.strip_prefix(head.as_bytes())
        && !image.is_empty()
    {
        return Ok(image.to_vec());
    }
    let image = make(target)?;
    if let Some(file) = file {
        // written beside and renamed, so that no one reads half of it
        let beside = file.with_extension(format!("{}.new", std::process::id()));
        let whole = [head.as_bytes(), &image].concat();
        let kept = file.parent().map(std::fs::create_dir_all).transpose();
        let _ =
            kept.and_then(|_| std::fs::write(&beside, whole)).and_then(|()| std::fs::rename(&beside, &file));
    }
    Ok(image)
}

/// The name of the file.
fn name(text: &str, target: &Target) -> String {
    // FNV-1a, 64 bits, twice
    let hash = |start: u64| {
        let bytes = [target.architecture.as_bytes(), target.by.as_bytes(), text.as_bytes()].concat();
        bytes.iter().fold(start, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    };
    format!("{:016x}{:016x}.cubin", hash(0xcbf2_9ce4_8422_2325), hash(0x6c62_272e_07bb_0142))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_once_is_kept_for_its_text_and_target_alone() {
        let folder = std::env::temp_dir().join(format!("pardiff-cache-{}", std::process::id()));
        let file = || Some(folder.join("image"));
        let target = Target { architecture: "sm_90".to_owned(), by: "12.8".to_owned() };
        let newer = Target { by: "12.9".to_owned(), ..target.clone() };
        let make = |text: &str, target: &Target, image: &[u8]| {
            get_or_make_in(file(), text, target, |_| Ok(image.to_vec())).unwrap()
        };
        assert_eq!(make("a", &target, b"1"), b"1");
        assert_eq!(make("a", &target, b"2"), b"1", "kept");
        assert_eq!(make("b", &target, b"3"), b"3", "another text");
        assert_eq!(make("b", &newer, b"4"), b"4", "another target");
        std::fs::write(folder.join("image"), b"half").unwrap();
        assert_eq!(make("b", &newer, b"5"), b"5", "a file that is not what it should be");
        let failed = get_or_make_in(file(), "c", &target, |_| Err(Error::NoDriver));
        assert_eq!(failed, Err(Error::NoDriver));
        std::fs::remove_dir_all(folder).unwrap();
        assert_ne!(name("a", &target), name("a", &newer));
    }
}
