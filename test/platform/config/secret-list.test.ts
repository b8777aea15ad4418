import { secretList, webhookSecrets } from '../../../src/platform/config/secret-list.js';

const about = { description: 'Secrets', example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

it('reads one or several secrets', () => {
  expect(secretList(about).read(' a , b')).toEqual(['a', 'b']);
  expect(webhookSecrets(about).read(`${about.example}, ${other}`)).toEqual([about.example, other]);
});

it.each(['', ',', 'a,,b', 'a b'])('refuses %j as a list of secrets', (text) => {
  expect(secretList(about).read(text)).toBeUndefined();
});

it.each(['', 'secret', 'whsec_', 'whsec_short', `${other},`, `${other} ${other}`, other.replace('C', '!')])(
  'refuses %j as a list of webhook secrets',
  (text) => {
    expect(webhookSecrets(about).read(text)).toBeUndefined();
  },
);

it('finds its published example among others', () => {
  expect(webhookSecrets(about).isPublished?.(`${other},${about.example}`)).toBe(true);
  expect(webhookSecrets(about).isPublished?.(other)).toBe(false);
});
