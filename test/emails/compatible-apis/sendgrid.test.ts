import type { MailDataRequired, MailService } from '@sendgrid/mail';
import type { EmailDetail } from '../../../src/emails/read/email-detail.js';
import { eventually } from '../../support/eventually.js';
import { TestService, type TestClient } from '../../support/service.js';
import { MESSAGE, refusalOf, sendGridLibrary } from './sendgrid-library.js';
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

async function send(fields: object = {}): Promise<EmailDetail> {
  const [{ statusCode, headers, body }] = await mail.send({ ...MESSAGE, ...fields } as MailDataRequired);
  expect({ statusCode, body: String(body) }).toEqual({ statusCode: 202, body: '' });
  const { 'x-message-id': id } = headers as Record<string, string>;
  return (await client.get<EmailDetail>(`/api/emails/${id}`)).body;
}

describe("SendGrid's library", () => {
  it('sends a message with all its fields', async () => {
    const email = await send({
      to: [{ email: 'one@example.com', name: 'One' }, 'two@example.com'],
      cc: 'cc@example.com',
      bcc: ['bcc@example.com'],
      replyTo: 'help@acme.example',
      text: 'The text',
      headers: { 'X-Order': '7' },
      categories: ['sale', 'spring'],
      customArgs: { order: '7' },
      attachments: [
        { filename: 'a.txt', content: 'SGVsbG8=', type: 'text/plain', disposition: 'attachment' },
        { filename: 'b.png', content: 'SGVsbG8=', type: 'image/png', disposition: 'inline', contentId: 'logo' },
      ],
      trackingSettings: { clickTracking: { enable: true, enableText: false }, openTracking: { enable: true } },
      mailSettings: { sandboxMode: { enable: false } },
    });
    expect(email).toMatchObject({
      ...{ to: ['one@example.com', 'two@example.com'], cc: ['cc@example.com'], bcc: ['bcc@example.com'] },
      ...{ from: expect.stringContaining('"Ada, of Acme" <'), replyTo: 'help@acme.example', subject: 'The engine' },
      ...{ headers: { 'X-Order': '7' }, tags: ['sale', 'spring'], metadata: { order: '7' } },
      attachments: [
        { filename: 'a.txt', contentType: 'text/plain' },
        { filename: 'b.png', contentType: 'image/png', contentId: 'logo' },
      ],
    });
    const sent = await eventually(async () => {
      const { body } = await client.get<EmailDetail>(`/api/emails/${email.id}`);
      return body.status === 'sent' && body;
    });
    expect(sent.links).toMatchObject([{ originalUrl: 'https://example.com/a' }]);
  });

  it('sends a text alone, later', async () => {
    const sendAt = Math.floor(Date.now() / 1000) + 86_400;
    const email = await send({ html: undefined, text: 'Only text', sendAt });
    expect(email).toMatchObject({ status: 'scheduled', sendAt: new Date(sendAt * 1000).toISOString() });
  });

  it('sends an email to each personalization, with its own fields', async () => {
    await send({
      to: undefined,
      attachments: [{ filename: 'a.txt', content: 'SGVsbG8=' }],
      personalizations: [
        { to: 'one@example.com', subject: 'For one', customArgs: { n: '1' } },
        { to: 'two@example.com', headers: { 'X-Order': '2' }, from: 'two@acme.example' },
      ],
    });
    const { body } = await client.get<{ emails: { id: string }[] }>('/api/emails');
    const details = await Promise.all(
      body.emails.map(async ({ id }) => (await client.get<EmailDetail>(`/api/emails/${id}`)).body),
    );
    const byAddress = new Map(details.map((email) => [email.to[0], email]));
    const attachments = [{ filename: 'a.txt' }];
    expect(byAddress.get('one@example.com')).toMatchObject({ subject: 'For one', metadata: { n: '1' }, attachments });
    expect(byAddress.get('two@example.com')).toMatchObject({
      ...{
        subject: 'The engine',
        from: expect.stringContaining('two-acme-example'),
        headers: { 'X-Order': '2' },
        attachments,
      },
    });
    expect(details).toHaveLength(2);
  });

  it('lets the fields of a personalization win over those of the request', async () => {
    const inHours = (hours: number): number => Math.floor(Date.now() / 1000) + hours * 3_600;
    const sendAt = inHours(24);
    const own = { headers: { 'X-Order': '2' }, customArgs: { order: '2' }, subject: 'Own', sendAt };
    const email = await send({
      ...{ to: undefined, subject: 'Common', sendAt: inHours(48) },
      ...{ headers: { 'X-Order': '1', 'X-Shop': 'a' }, customArgs: { order: '1', shop: 'a' } },
      personalizations: [{ to: 'one@example.com', ...own }],
    });
    expect(email).toMatchObject({
      ...{ subject: 'Own', sendAt: new Date(sendAt * 1000).toISOString() },
      ...{ headers: { 'X-Order': '2', 'X-Shop': 'a' }, metadata: { order: '2', shop: 'a' } },
    });
  });

  it('fills in a template for each personalization', async () => {
    const { body: template } = await client.post<{ id: string }>('/api/templates', {
      ...{ name: 'Plan', subject: 'Your {{ plan }} plan', htmlContent: '<p>Hello {{ name }}</p>' },
    });
    const email = await send({
      ...{ subject: undefined, html: undefined, templateId: `d-${template.id}` },
      dynamicTemplateData: { plan: 'pro', name: 'Ada' },
    });
    expect(email).toMatchObject({ subject: 'Your pro plan' });
  });

  it('lets the template win over a subject and content of the request, as SendGrid does', async () => {
    const { body: template } = await client.post<{ id: string }>('/api/templates', {
      ...{ name: 'Plan', subject: 'Your {{ plan }} plan', htmlContent: '<p>Hello {{ name }}</p>' },
    });
    const { id } = await send({
      ...{ subject: 'Unused', html: '<p>Unused {{ name }}</p>', text: 'Unused', templateId: `d-${template.id}` },
      personalizations: [
        { to: 'one@example.com', subject: 'Unused', dynamicTemplateData: { plan: 'pro', name: 'Ada' } },
      ],
      to: undefined,
    });
    const { body: email } = await client.get<EmailDetail>(`/api/emails/${id}`);
    expect(email.subject).toBe('Your pro plan');
    for (const part of ['html', 'text']) {
      const { body: text } = await client.get<string>(`/api/emails/${id}/preview?part=${part}`);
      expect(text).toContain('Hello Ada');
      expect(text).not.toContain('Unused');
    }
  });

  it('sends separate emails to several recipients, and leaves out those that are suppressed', async () => {
    await client.post('/api/suppressions', { address: 'two@example.com' });
    await send({ to: ['one@example.com', 'two@example.com', 'three@example.com'], isMultiple: true });
    expect(await countEmails(client)).toBe(2);
    expect(await refusalOf(mail, { to: 'two@example.com' })).toMatchObject({ status: 422 });
    expect(await refusalOf(mail, { to: ['two@example.com', 'two@example.com'], isMultiple: true })).toMatchObject({
      ...{ status: 422, errors: [{ field: 'personalizations.0.to' }, { field: 'personalizations.1.to' }] },
    });
  });

  it('sends to as many recipients as SendGrid allows in one request', async () => {
    await send({ to: Array.from({ length: 1_000 }, (_, index) => `reader${index}@example.com`), isMultiple: true });
    const [row] = await service.database.query<{ emails: number }>(
      'select count(*)::integer as emails from emails where organization_id = $1',
      [client.organizationId],
    );
    expect(row).toEqual({ emails: 1_000 });
  });

  it('accepts a repeated request with an idempotency key once', async () => {
    const headers = { 'Idempotency-Key': 'order-7' };
    const post = async (): Promise<string | null> => {
      const response = await fetch(`${service.address}/v3/mail/send`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${client.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          personalizations: [{ to: [{ email: 'one@example.com' }] }, { to: [{ email: 'two@example.com' }] }],
          from: { email: 'ada@acme.example' },
          subject: 'Once',
          content: [{ type: 'text/plain', value: 'Once' }],
        }),
      });
      expect(response.status).toBe(202);
      return response.headers.get('x-message-id');
    };
    expect(await post()).toBe(await post());
    expect(await countEmails(client)).toBe(2);
  });
});
