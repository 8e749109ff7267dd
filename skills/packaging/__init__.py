"""Packing the fields of a skill into a zip package, and unpacking an uploaded one."""

from skills.packaging.archives import PackageRefused
from skills.packaging.packages import File, Package, pack, texts, unpack

__all__ = ["File", "Package", "PackageRefused", "pack", "texts", "unpack"]
