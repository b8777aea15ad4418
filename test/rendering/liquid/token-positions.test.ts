import fc from 'fast-check';
import { Token, TokenKind } from 'liquidjs';
import '../../../src/rendering/liquid/liquid-language.js';
import { compileMessage, variablesOf } from '../../../src/rendering/personalize/message-template.js';
import { processorTime } from '../../support/processor-time.js';

class Place extends Token {}
const tokenAt = (text: string, place: number) => new Place(TokenKind.HTML, text, place, place);

/** As the library counts. */
function counted(text: string, place: number): [number, number] {
  const lines = text.slice(0, place).split('\n');
  return [lines.length, lines.at(-1)!.length + 1];
}

it('finds line and column of any place', () => {
  const texts = fc.string({ unit: fc.constantFrom('\n', '\r', 'a', '{', '😀'), maxLength: 30 });
  fc.assert(
    fc.property(texts, fc.nat(30), texts, (text, place, other) => {
      const at = Math.min(place, text.length);
      tokenAt(other, 0).getPosition();
      expect(tokenAt(text, at).getPosition()).toEqual(counted(text, at));
    }),
  );
});

it('finds 19,000 variables in linear time', () => {
  const html = Array.from({ length: 19_000 }, (_, n) => `{{ v${n}${' '.repeat(100)}}}`).join('');
  const spentMs = processorTime();
  expect(variablesOf(compileMessage({ subject: 'S', html, text: null }))).toHaveLength(19_000);
  // Counting from the beginning of the text takes far longer.
  expect(spentMs()).toBeLessThan(5_000);
});
