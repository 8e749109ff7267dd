"""A skill as a zip package: fields to files and back."""

from skills.packaging.archives import PackageRefused
from skills.packaging.packages import File, Package, pack, texts, unpack

__all__ = ["File", "Package", "PackageRefused", "pack", "texts", "unpack"]
