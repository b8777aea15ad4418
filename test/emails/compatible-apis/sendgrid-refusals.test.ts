import type { MailService } from '@sendgrid/mail';
import { TestService, type TestClient } from '../../support/service.js';
import { refusalOf, sendGridLibrary } from './sendgrid-library.js';
import { countEmails } from './count-emails.js';

let service: TestService;
let client: TestClient;
let mail: MailService;

beforeAll(async () => {
  service = await TestService.start({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
});
beforeEach(async () => {
  client = await service.organization();
  mail = sendGridLibrary(service, client.apiKey);
});
afterAll(() => service?.stop());

describe('a refusal in the form of SendGrid', () => {
  it.each([
    [{ html: undefined, text: undefined }, 'content', 'content is required, unless template_id is given'],
    [{ asm: { groupId: 1 } }, 'asm', 'asm is not supported'],
    [{ batchId: 'x' }, 'batch_id', 'batch_id is not supported'],
    [{ ipPoolName: 'x' }, 'ip_pool_name', 'ip_pool_name is not supported'],
    [{ sections: { a: 'b' } }, 'sections', 'sections is not supported'],
    [{ substitutions: { a: 'b' } }, 'personalizations.0.substitutions', expect.any(String)],
    [{ mailSettings: { sandboxMode: { enable: true } } }, 'mail_settings.sandbox_mode.enable', expect.any(String)],
    [
      { trackingSettings: { clickTracking: { enable: false } } },
      'tracking_settings.click_tracking.enable',
      expect.any(String),
    ],
    [{ trackingSettings: { ganalytics: { enable: true } } }, 'tracking_settings.ganalytics.enable', expect.any(String)],
    [{ categories: ['two words'] }, 'categories', expect.stringMatching(/^categories must be/)],
    [{ to: 'nobody' }, 'personalizations.0.to', expect.stringMatching(/^personalizations\.0\.to must be/)],
    [{ to: ['a@example.com', 'nobody'], isMultiple: true }, 'personalizations.1.to', expect.any(String)],
    [{ html: '', text: undefined }, 'content', expect.stringMatching(/^content /)],
    [{ replyToList: [{ email: 'a@example.com' }, { email: 'b@example.com' }] }, 'reply_to_list', expect.any(String)],
    [{ attachments: [{ filename: 'a.txt', content: '?' }] }, 'attachments.0.content', expect.any(String)],
    [{ attachments: [{ filename: 'a', content: 'QQ==', type: 'x' }] }, 'attachments.0.type', expect.any(String)],
    [{ headers: { Sender: 'x' } }, 'headers.Sender', expect.any(String)],
    [{ templateId: 'unknown' }, 'template_id', 'template_id names no template of your organization'],
  ])('names it: %j', async (fields, field, message) => {
    expect(await refusalOf(mail, fields)).toEqual({ status: 400, errors: [{ message, field, help: null }] });
    expect(await countEmails(client)).toBe(0);
  });

  it.each([
    [{ tags: ['a'] }, 'tags', 'tags is not supported'],
    [{ to: [{ email: 'ada@example.com' }] }, 'to', 'to is not supported'],
    [
      { reply_to: { email: 'a@example.com' }, reply_to_list: [{ email: 'b@example.com' }] },
      'reply_to_list',
      'reply_to_list must have one address, and none beside reply_to',
    ],
    [
      { content: ['x', 'y'].map((value) => ({ type: 'text/plain', value })) },
      'content.1.type',
      'content.1.type must be given once',
    ],
    [
      { tracking_settings: { click_tracking: { enable: true, enable_text: true } } },
      'tracking_settings.click_tracking.enable_text',
      'tracking_settings.click_tracking.enable_text is not supported',
    ],
    [{ headers: { constructor: 'x' } }, 'headers.constructor', expect.stringMatching(/^headers\.constructor is not/)],
  ])('names a field as the client wrote it: %j', async (fields, field, message) => {
    const mail = {
      ...{ personalizations: [{ to: [{ email: 'a@example.com' }] }], from: { email: 'b@example.com' } },
      ...{ subject: 'S', content: [{ type: 'text/plain', value: 'x' }] },
    };
    const response = await fetch(`${service.address}/v3/mail/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...mail, ...fields }),
    });
    expect(await response.json()).toEqual({ errors: [{ message, field, help: null }] });
  });

  it('bounds the content of all personalizations together', async () => {
    const personalizations = Array.from({ length: 40 }, (_, index) => ({ to: `r${index}@example.com` }));
    const html = `<p>${'x'.repeat(1024 * 1024)}</p>`;
    expect(await refusalOf(mail, { to: undefined, personalizations, html })).toMatchObject({
      ...{ status: 400, errors: [{ field: 'content' }] },
    });
  });

  it('has the form of SendGrid for a wrong key, a key without the scope, and a body that is no JSON', async () => {
    expect(await refusalOf(sendGridLibrary(service, 'SG.wrong'), {})).toEqual({
      ...{ status: 401, errors: [{ message: expect.any(String), field: null, help: null }] },
    });
    const { body: reader } = await client.post<{ key: string }>('/api/keys', { name: 'r', scopes: ['read'] });
    expect(await refusalOf(sendGridLibrary(service, reader.key), {})).toMatchObject({
      status: 403,
      errors: [{ field: null }],
    });
    const response = await fetch(`${service.address}/v3/mail/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.apiKey}`, 'content-type': 'application/json' },
      body: '{',
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      { errors: [{ message: 'The body is not valid JSON: it ends too early', field: null, help: null }] },
    ]);
  });

  it('has the form of SendGrid for the routes that we do not have', async () => {
    const headers = { authorization: `Bearer ${client.apiKey}` };
    const response = await fetch(`${service.address}/v3/templates`, { headers });
    expect([response.status, await response.json()]).toEqual([
      404,
      { errors: [{ message: 'Not found: no route has this method and path', field: null, help: null }] },
    ]);
  });
});
