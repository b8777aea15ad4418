/**
 * A document of 30 KB that takes the compiler seconds, because it applies every rule to every element.
 * @param number makes the document unique
 */
export function slowMjml(number: number): string {
  const rules = Array.from({ length: 1_000 }, (_, at) => `.c${at} p{color:red}`).join('');
  const text = `${number}${'<p>x</p>'.repeat(1_500)}`;
  return `<mjml><mj-head><mj-style inline="inline">${rules}</mj-style></mj-head><mj-body><mj-section><mj-column><mj-text>${text}</mj-text></mj-column></mj-section></mj-body></mjml>`;
}
