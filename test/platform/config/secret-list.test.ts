import { variables } from '../../../src/platform/config/setting-definitions.js';
import { secretList } from '../../../src/platform/config/secret-list.js';

const about = { description: 'Secrets', example: 'an-example' };
const { RESEND_EVENT_SECRET: webhookSecrets } = variables;
const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

it('reads one or several secrets', () => {
  expect(secretList(about).read(' a , b')).toEqual(['a', 'b']);
  expect(webhookSecrets.read(`${webhookSecrets.example}, ${other}`)).toEqual([webhookSecrets.example, other]);
});

it.each(['', ',', 'a,,b', 'a b'])('refuses %j as a list of secrets', (text) => {
  expect(secretList(about).read(text)).toBeUndefined();
});

it.each(['', 'secret', 'whsec_', 'whsec_short', `${other},`, `${other} ${other}`, other.replace('C', '!')])(
  'refuses %j as a list of webhook secrets',
  (text) => {
    expect(webhookSecrets.read(text)).toBeUndefined();
  },
);

it('finds its published example among others', () => {
  expect(webhookSecrets.isPublished?.(`${other},${webhookSecrets.example}`)).toBe(true);
  expect(webhookSecrets.isPublished?.(other)).toBe(false);
});
