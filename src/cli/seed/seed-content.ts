/** Link destinations of every seeded email. */
export const seedUrls = Array.from(
  { length: 12 },
  (_, number) => `https://lighthouse.example/stories/${number + 1}?edition=autumn&from=mail`,
);

export const seedSender = 'The Lighthouse <news@lighthouse.example>';
export const otherSeedSender = 'The Harbour <harbour@lighthouse.example>';
export const seedSubject = 'What the light saw this month, number ';

/** Short enough to be stored inline in the row, which is the worst case for scans. */
export const seedHtml = `<!doctype html><html><body style="margin:0;background:#f2f5f7">
<h1 style="color:#12344d">The Lighthouse</h1>
${seedUrls.map((url, number) => `<p>Story ${number + 1}: <a href="${url.replaceAll('&', '&amp;')}">read on</a></p>`).join('\n')}
</body></html>`;

export const firstNames =
  'ada grace linus margaret edsger barbara donald frances john katherine alan radia tim sophie ken anita'.split(' ');
export const lastNames =
  'lovelace hopper torvalds hamilton dijkstra liskov knuth allen mccarthy johnson turing perlman lee wilson thompson borg smith jones brown garcia miller davis lopez martin'.split(
    ' ',
  );
export const domains = 'mail post inbox letters harbour meadow university workshop'.split(' ');
