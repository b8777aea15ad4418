import { substituteEmails } from '../../../src/rendering/personalize/substitute-email.js';
import { keys, request } from './personalize-properties.js';
import { processorTime } from '../../support/processor-time.js';

const MEGABYTE = 1024 * 1024;

it('leaves recipients for separate rendering once values are long, because the result goes to the main thread', () => {
  // A loop makes 4 MB of text for each recipient.
  const text = `{% for line in (1..64) %}${'x'.repeat(65_536)}{% endfor %}{{ name }}`;
  const recipients = Array.from({ length: 50 }, (_, index) => ({ ...request, variables: { name: `Reader ${index}` } }));
  const source = { subject: 's', html: '<p>{{ name }}</p>', text };
  const message = substituteEmails({ source, baseUrl: request.baseUrl, recipients }, keys);
  const substituted = message!.recipients.filter((own) => own !== undefined);
  const characters = substituted.flatMap(({ values }) => values).reduce((sum, { length }) => sum + length, 0);
  expect(substituted.length).toBeGreaterThanOrEqual(2);
  expect(characters).toBeLessThan(13 * MEGABYTE);
});

it('leaves a recipient for separate rendering, which refuses it, if values make the email too long', () => {
  const html = `<p>${'{{ name }}'.repeat(600)}</p>`;
  const recipients = ['Ada', 'x'.repeat(9_000), 'Grace'].map((name) => ({ ...request, variables: { name } }));
  const message = substituteEmails(
    { source: { subject: 's', html, text: null }, baseUrl: request.baseUrl, recipients },
    keys,
  );
  expect(message!.recipients.map((own) => own !== undefined)).toEqual([true, false, true]);
});

it('counts bytes, not characters', () => {
  const html = `<p>${'{{ name }}'.repeat(600)}</p>`;
  const recipients = ['€'.repeat(1_000), '€'.repeat(1_500)].map((name) => ({ ...request, variables: { name } }));
  const message = substituteEmails(
    { source: { subject: 's', html, text: null }, baseUrl: request.baseUrl, recipients },
    keys,
  );
  expect(message!.recipients.map((own) => own !== undefined)).toEqual([true, false]);
});

it('chooses a tag outside of a message with very many texts like tags in linear time', () => {
  const texts = Array.from({ length: 100_000 }, (_, number) => `m${number}.`);
  const source = { subject: 's', html: `<p>{{ name }}</p>${texts.join(' ')}`, text: 'Hello' };
  const recipients = ['Ada', 'm100000.'].map((name) => ({ ...request, variables: { name } }));
  const spentMs = processorTime();
  const message = substituteEmails({ source, baseUrl: request.baseUrl, recipients }, keys);
  // It takes a part of a second, but minutes if the message is searched for one tag after the other.
  expect(spentMs()).toBeLessThan(10_000);
  expect(message!.tags[0]).toContain('m100000.');
  expect(message!.recipients.map((own) => own !== undefined)).toEqual([true, false]);
});
