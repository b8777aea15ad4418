import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings } from '../../../src/platform/config/settings.js';
import { inTemporaryDirectory } from '../../support/temporary-directory.js';

const read = (value: unknown) => readSettings({ PROVIDERS: JSON.stringify(value) }).PROVIDERS;

const smtp = { id: 'a', type: 'smtp', url: 'smtp://mail.internal' };
const sendgrid = { id: 'b', type: 'sendgrid', apiKey: 'SG.secret' };

it('reads providers of all types, in order', () => {
  const entries = [
    { ...smtp, weight: 3 },
    { ...sendgrid, perSecond: 0.5 },
    { id: 'c', type: 'ses', region: 'eu-west-1', accessKeyId: 'AKIA', secretAccessKey: 's', configurationSet: 'mail' },
    { id: 'd', type: 'postmark', serverToken: 't', messageStream: 'broadcast' },
    { id: 'e', type: 'mailgun', apiKey: 'k', domain: 'mg.example.com' },
    { id: 'f', type: 'resend', apiKey: 're_1' },
  ];
  expect(read(entries)).toMatchObject([
    { id: 'a', type: 'smtp', credentials: { url: 'smtp://mail.internal' }, weight: 3 },
    { id: 'b', type: 'sendgrid', credentials: { apiKey: 'SG.secret' }, perSecond: 0.5 },
    { id: 'c', credentials: { region: 'eu-west-1', configurationSet: 'mail' } },
    { id: 'd', credentials: { serverToken: 't', messageStream: 'broadcast' } },
    { id: 'e', credentials: { domain: 'mg.example.com' } },
    { id: 'f', credentials: { apiKey: 're_1' } },
  ]);
});

it('reads the list from a file', () =>
  inTemporaryDirectory(async (directory) => {
    const file = join(directory, 'providers.json');
    await writeFile(file, JSON.stringify([smtp]));
    expect(readSettings({ PROVIDERS: file }).PROVIDERS).toMatchObject([{ id: 'a', type: 'smtp' }]);
  }));

it.each([
  ['[', /not JSON/],
  ['no-such-file.json', /neither a JSON array nor the name of a readable file/],
  ['[]', /an array of 1 to 20 providers/],
  [[null], /provider number 1: id must be/],
  [[{ ...smtp, id: 'A b' }], /provider number 1: id must be up to 40/],
  [[{ ...smtp, id: 'organizations' }], /provider organizations: id organizations is reserved/],
  [[{ ...smtp, type: 'pigeon' }], /provider a: type must be one of smtp, sendgrid, ses, postmark, mailgun, resend/],
  [[{ ...smtp, url: 'http://mail' }], /provider a: url must be the URL of an SMTP server, such as smtps/],
  [[{ ...smtp, apiKey: 'x' }], /provider a: smtp has only the fields id, type, weight, perSecond, url/],
  [[{ ...sendgrid, apiKey: '' }], /provider b: apiKey must be a string without spaces/],
  [[{ ...sendgrid, apiKey: 5 }], /provider b: apiKey must be/],
  [[{ ...smtp, weight: -1 }], /provider a: weight must be a whole number from 0 to 1000/],
  [[{ ...smtp, perSecond: 0 }], /provider a: perSecond must be a number from 0.01/],
  [[smtp, { ...sendgrid, id: 'a' }], /two providers have the id a/],
] as const)('refuses %j and says why', (value, reason) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  expect(() => readSettings({ PROVIDERS: text })).toThrow(reason);
});

it('shows no credential in a refusal', () => {
  const url = 'smtp://user:hunter2@mail?unknown=1';
  const messageOf = () => {
    try {
      return String(read([{ ...smtp, url }]));
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(messageOf()).toMatch(/^PROVIDERS is invalid: provider a: url must be/);
  expect(messageOf()).not.toContain('hunter2');
});
