/** The encodings in which spreadsheet programs save tables. */
export type CsvEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Bytes of a file that are checked at a time, so that a large file is never in memory as a whole. */
const CHECKED_BYTES = 4_194_304;

/**
 * A file as UTF-8 without a byte order mark. A file that is not UTF-8 is Windows-1252, which Excel writes in many
 * countries, unless a byte order mark says UTF-16. Names would otherwise be garbled.
 */
export async function toUtf8(file: Blob): Promise<{ readonly content: Blob; readonly encoding: CsvEncoding }> {
  const [first, second, third] = new Uint8Array(await file.slice(0, 3).arrayBuffer());
  if (first === 0xff && second === 0xfe) return decoded(file, 'utf-16le');
  if (first === 0xfe && second === 0xff) return decoded(file, 'utf-16be');
  if (!(await isUtf8(file))) return decoded(file, 'windows-1252');
  const hasMark = first === 0xef && second === 0xbb && third === 0xbf;
  return { content: hasMark ? file.slice(3) : file, encoding: 'utf-8' };
}

async function decoded(file: Blob, encoding: CsvEncoding) {
  const text = new TextDecoder(encoding).decode(await file.arrayBuffer());
  return { content: new Blob([text]), encoding };
}

async function isUtf8(file: Blob): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (let at = 0; at < file.size; at += CHECKED_BYTES)
      decoder.decode(await file.slice(at, at + CHECKED_BYTES).arrayBuffer(), { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    // What a decoder throws for invalid bytes; a file that cannot be read throws something else.
    if (error instanceof TypeError) return false;
    throw error;
  }
}
