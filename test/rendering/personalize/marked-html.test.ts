import { isCuttable, markOf } from '../../../src/rendering/personalize/marked-html.js';
import { processorTime } from '../../support/processor-time.js';

const MARK = markOf(0);

describe('HTML with marks', () => {
  it.each([
    `<a href="mailto:a@b.example?subject=${MARK}">`,
    `<a href=' MAILTO:${MARK}'>`,
    `<a href="mailto:o'neil@b.example${MARK}">`,
    `<a href = tel:${MARK}>`,
    `<a title="x" href="sms:1" href="sms:${MARK}">`,
  ])('is not cut at %s: the text part shows only some of the address', (html) => {
    expect(isCuttable(html)).toBe(false);
  });

  it.each([
    `<a href="mailto:a@b.example" title="${MARK}">`,
    `<a href=tel:1 title="${MARK}">`,
    `<a href="https://b.example/${MARK}">`,
  ])('is cut at %s', (html) => {
    expect(isCuttable(html)).toBe(true);
  });

  it.each([
    ['blanks', ` href=${' '.repeat(100_000)}`],
    ['addresses', ' href=mailto:'.repeat(20_000)],
    ['quotes without an end', ` href="mailto:`.repeat(20_000)],
  ])('is read once in a tag of many %s', (_, attributes) => {
    const spentMs = processorTime();
    isCuttable(`<a title="${MARK}"${attributes}>`);
    expect(spentMs()).toBeLessThan(2_000);
  });
});
