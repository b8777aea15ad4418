import { remainingRecipients } from '../../../src/emails/delivery/reports-in-doubt.js';

const [to, hidden, other] = ['to@example.com', 'hidden@example.com', 'other@example.com'];
const everyone = { to: [{ address: to }], cc: [], bcc: [{ address: hidden }, { address: other }] };
const known = { isInDoubt: true, providerId: null, refused: [], leftInDoubt: [], reachedInDoubt: [], isReached: true };

it('a report on one hidden recipient proves nothing about another if an earlier attempt reached the visible one', () => {
  expect(remainingRecipients({ ...known, settled: [to, hidden], proof: [hidden] }, everyone)).toMatchObject({
    ...{ addresses: [other], reported: false, areSeparate: true },
  });
});

it.each([
  ['the visible one, too', [to, hidden], [to, hidden]],
  ['the visible one alone', [to], [to]],
  ['a hidden one alone', [hidden], [hidden]],
])('those who shared a message are proven by a report since the retry on %s', (_, settled, proof) => {
  expect(remainingRecipients({ ...known, settled, proof }, everyone)).toMatchObject({
    ...{ reported: true, areSeparate: false },
  });
});
