"""Parse XML in pieces with Expat, which keeps nothing of it, and reject what exceeds a bound."""

from collections.abc import Callable, Iterator
from xml.parsers import expat

from app.tables.errors import UnreadableTableError

_MAX_ELEMENTS = 1_200_000  # all parts together: more than half a million cells; 0.8 s of Expat
_MAX_XML_DEPTH = 64
MAX_ATTRIBUTES = 64  # an element of Excel has about 20 at most
_MAX_NAMES = 2_000  # names of elements and attributes in a part; the standard has about 1,500
MAX_CELL_LENGTH = 32_767  # characters, as in Excel
MAX_TEXT_LENGTH = 16_000_000  # characters of all cells; each may take four bytes
# The maximum distance between two tags, with text and comments. A cell's text may take eight bytes
# for each character, as in &#x1234;.
_MAX_BYTES_WITHOUT_TAG = 8 * (MAX_CELL_LENGTH + 1)


class BoundedXml:
    """Parses one document; a subclass handles its elements.

    ``starts`` and ``ends`` have the handlers by name; local names match any prefix. ``elements``
    counts the elements of this document and of earlier ones.
    """

    starts: dict[str, Callable[[dict[str, str]], None] | None]
    ends: dict[str, Callable[[], None] | None]

    def __init__(self, subject: str, remedy: str, elements: int = 0) -> None:
        self._subject, self._remedy = subject, remedy
        # Calamine always reads UTF-8, whatever a document declares. So must this parser, or it
        # would check other text. It still reads UTF-16, where each tag has null bytes.
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._reject_doctype
        self.elements = elements
        self._depth = self._bytes_without_tag = 0

    def check(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the chunks of the document, each after it was checked.

        Raise UnreadableTableError if it is not XML, or exceeds a bound.
        """
        try:
            for chunk in chunks:
                self._parse(chunk)
                yield chunk
            self.parser.Parse(b"", True)
        except expat.ExpatError as error:
            issue = f"{self._subject} is broken ({error}): {self._remedy}"
            raise UnreadableTableError(issue) from error

    def _parse(self, chunk: bytes) -> None:
        if b"\x00" in chunk:
            raise self.rejection("null bytes, as in UTF-16, and not UTF-8")
        before = self.elements
        self.parser.Parse(chunk, False)
        if self.elements > _MAX_ELEMENTS:
            raise self.rejection(f"more than {_MAX_ELEMENTS:,} elements of XML", is_too_large=True)
        self._bytes_without_tag += len(chunk)
        if self.elements > before:
            self._bytes_without_tag = 0
        if self._bytes_without_tag > _MAX_BYTES_WITHOUT_TAG:
            raise self.rejection(f"more than {_MAX_BYTES_WITHOUT_TAG:,} bytes without a tag")
        if len(self.parser.intern) > _MAX_NAMES:
            raise self.rejection(f"more than {_MAX_NAMES:,} names of elements and attributes")

    def rejection(self, problem: str, is_too_large: bool = False) -> UnreadableTableError:
        issue = f"{self._subject} has {problem}: {self._remedy}"
        return UnreadableTableError(issue, is_too_large=is_too_large)

    def _reject_doctype(self, *_declaration: object) -> None:
        raise self.rejection("a document type, which no workbook needs")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        self._depth += 1
        if self._depth > _MAX_XML_DEPTH:
            raise self.rejection(f"elements {_MAX_XML_DEPTH} deep")
        if len(attributes) > MAX_ATTRIBUTES:
            raise self.rejection(f"{len(attributes):,} attributes in a tag")
        if name not in self.starts:
            self.starts[name] = self.starts.get(name.rpartition(":")[2])
        if start := self.starts[name]:
            start(attributes)

    def _end(self, name: str) -> None:
        self._depth -= 1
        if name not in self.ends:
            self.ends[name] = self.ends.get(name.rpartition(":")[2])
        if end := self.ends[name]:
            end()
