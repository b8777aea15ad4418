/** HTML that shows a text as a mail program does, in at most five times its length. Links stay text. */
export function textAsHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  // Browsers drop a line break right after the tag, and keep one of the text only behind it.
  return `<pre style="white-space: pre-wrap">\n${escaped}</pre>`;
}
