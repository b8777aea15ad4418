import { createHash } from 'node:crypto';
import { codeOfVerdict, corroborated, isMachine, NO_SIGN, verdictOf } from '../../src/events/verdict.js';

/** Number of released verdicts, and the digest of their lines. Both change only when verdicts are added. */
const RELEASED = 107;
const DIGEST = '22e917e2a05d99adc9190f0f3fe393d7b023c0f33eea692a6e53e1cec16a9fc1';

/** Every code that this build knows. */
const CODES = [...Array(200).keys()].filter((code) => code === NO_SIGN || verdictOf(code).reason !== 'none');

it('stored codes keep their meaning: the start of the table never changes', () => {
  const beginning = CODES.slice(0, RELEASED).map((code) => Object.values(verdictOf(code)).join(' '));
  expect(beginning).toHaveLength(RELEASED);
  expect(createHash('sha256').update(beginning.join('\n')).digest('hex')).toBe(DIGEST);
});

it('every verdict is in the table once, so that it has one code', () => {
  expect(CODES.map((code) => codeOfVerdict(verdictOf(code)))).toEqual(CODES);
});

it('a code of a newer build counts as a person', () => {
  expect(verdictOf(CODES.length)).toEqual({ class: 'human', reason: 'none', certainty: 'probable' });
  expect(isMachine(CODES.length)).toBe(false);
});

it('time turns a weak sign into the machine of the same reason, and changes nothing else', () => {
  const changes = CODES.filter((code) => corroborated(code) !== undefined);
  expect(changes.map((code) => verdictOf(code).reason)).toEqual(
    CODES.filter((code) => verdictOf(code).class === 'human' && code !== NO_SIGN).map((code) => verdictOf(code).reason),
  );
  for (const code of changes) {
    const machine = corroborated(code)!;
    expect(isMachine(machine)).toBe(true);
    expect(verdictOf(machine)).toMatchObject({ reason: verdictOf(code).reason, certainty: 'probable' });
  }
});
