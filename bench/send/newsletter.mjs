const STORY =
  'The harbour wakes early, and with it those who mend nets, paint hulls and count the boats of the night. ';
const BYTES = 30_000;
const LINKS = 30;

/** HTML of 30 KB with 30 links. */
export function newsletter() {
  const link = (index) =>
    `<td style="padding:12px 24px;font-family:Arial,sans-serif"><a href="https://www.harbour.test/stories/${index}?utm_source=newsletter&amp;utm_medium=email" style="color:#1a6">Story ${index}</a></td>`;
  const links = Array.from({ length: LINKS }, (_, index) => link(index));
  const text = Math.floor((BYTES - links.join('').length - 200) / LINKS / STORY.length);
  const rows = links.map((cell) => `<tr>${cell}<td><p>${STORY.repeat(text)}</p></td></tr>`);
  return `<!doctype html><html><body><table width="600">${rows.join('\n')}</table></body></html>`;
}
