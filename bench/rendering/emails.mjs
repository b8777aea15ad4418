import mjmlToHtml from 'mjml';

/*
 * Five emails in MJML, as a sender of newsletters writes them, so that the HTML is typical of real mail:
 * tables in tables, a style on every element, conditional comments for Outlook. Sizes and links are about
 * 7 KB / 2, 31 KB / 44, 55 KB / 45, 86 KB / 72 and 109 KB / 77.
 */

const WORDS = 'the harbour opens early and boats with green sails leave for the islands before the fog lifts'.split(
  ' ',
);

function words(count, start) {
  return Array.from({ length: count }, (_, index) => WORDS[(start + index * 7) % WORDS.length]).join(' ');
}

function link(index) {
  return `https://www.harbour.test/stories/${index}?utm_source=newsletter&amp;utm_medium=email&amp;utm_content=${index}`;
}

function section(...columns) {
  return `<mj-section>${columns.map((content) => `<mj-column>${content}</mj-column>`).join('')}</mj-section>`;
}

const text = (content) => `<mj-text font-size="16px" color="#333333" line-height="24px">${content}</mj-text>`;
const anchor = (index, content) =>
  `<a href="${link(index)}" style="color:#0b6e99;text-decoration:underline;">${content}</a>`;
const button = (index) => `<mj-button href="${link(index)}" background-color="#0b6e99">Read on</mj-button>`;
const image = (index) =>
  `<mj-image href="${link(index)}" src="https://cdn.harbour.test/${index}.jpg" alt="Story ${index}" />`;

function list(count, wordsEach, perSection) {
  return Array.from({ length: Math.ceil(count / perSection) }, (_, number) => {
    const items = Array.from({ length: Math.min(perSection, count - number * perSection) }, (_, item) => {
      const index = number * perSection + item;
      return text(`${anchor(index, words(4, index))} ${words(wordsEach, index)}`);
    });
    return section(items.join(''));
  }).join('');
}

function cards(count, wordsEach, perRow) {
  return Array.from({ length: Math.ceil(count / perRow) }, (_, row) => {
    const items = Array.from({ length: Math.min(perRow, count - row * perRow) }, (_, item) => {
      const index = 3 * (row * perRow + item);
      return (
        image(index) + text(`${anchor(index + 1, words(5, index))}<br/>${words(wordsEach, index)}`) + button(index + 2)
      );
    });
    return section(...items);
  }).join('');
}

const BODIES = {
  reset: section(text(`Hello, ${words(130, 1)}`) + button(0) + text(`${anchor(1, 'Help')} ${words(60, 3)}`)),
  receipt: list(44, 3, 22),
  newsletter: cards(15, 18, 2),
  catalogue: cards(24, 24, 3),
  digest: list(17, 170, 3) + cards(20, 35, 2),
};

/** @returns {Promise<{ name: string, html: string }[]>} */
export async function benchEmails() {
  const emails = [];
  for (const [name, body] of Object.entries(BODIES)) {
    const { html } = await mjmlToHtml(
      `<mjml><mj-head><mj-title>Harbour</mj-title></mj-head><mj-body>${body}</mj-body></mjml>`,
    );
    emails.push({ name, html });
  }
  return emails;
}
