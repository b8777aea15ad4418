import { readMailbox } from '../../../src/emails/accept/recipients.js';
import { requirePlainSubject } from '../../../src/emails/accept/plain-text.js';

const encodedWord = '=?utf-8?q?Hello=0d=0aBcc:_x@evil.test?=';

it.each([encodedWord, `Hello ${encodedWord}`, '=?ISO-8859-1?B?SGVsbG8=?=', 'a\u202eb', 'a\u202db'])(
  'refuses the subject %j',
  (subject) => expect(() => requirePlainSubject(subject)).toThrow(/^subject must/),
);

it.each(['Is 2 =? 3', '=?what?=', 'مرحبا \u2067x\u2069', '👨\u200d👩\u200d👧 family', 'caf\u00e9'])(
  'accepts the subject %j',
  (subject) => expect(() => requirePlainSubject(subject)).not.toThrow(),
);

// Without its invisible characters, each of the last two is an encoded word.
const hidden = ['=?utf-8?q\u200b?service=40bank.example?=', '=\u00ad?utf-8?b?c2VydmljZUBiYW5rLmV4YW1wbGU=?\ufeff='];

it.each([encodedWord, '\u202emoc.knab', 'a\u2066b', ...hidden])('refuses the name %j', (name) =>
  expect(() => readMailbox('from', `"${name}" <a@b.co>`)).toThrow(/^from must/),
);

it.each([
  ['Pay\u200bPal', 'PayPal'],
  ['\ufeffJane', 'Jane'],
  ['\u200b', undefined],
  ['👨\u200d👩\u200d👧', '👨\u200d👩\u200d👧'],
])('removes invisible characters from the name %j', (name, shown) =>
  expect(readMailbox('to', `${name} <a@b.co>`)).toEqual({ address: 'a@b.co', ...(shown && { name: shown }) }),
);
