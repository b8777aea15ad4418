import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(async () => service?.stop());

const template = {
  subject: 'Hi {{ name }}',
  htmlContent:
    '<style>p{color:red}</style><p>{{ name }}</p><a href="https://acme.example/">x</a><script>alert(1)</script>',
};

describe('the preview of a template', () => {
  it('is its newest version with variables and disabled links, and blocks scripts', async () => {
    const { body } = await client.post('/api/templates', { ...template, name: 'T' });
    const address = `${service.address}/api/templates/${String(body.id)}/preview`;
    const variables = encodeURIComponent(JSON.stringify({ name: '<b>Ada' }));
    const shown = await fetch(`${address}?variables=${variables}`, { headers: { 'x-api-key': client.apiKey } });
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(shown.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none';.* img-src data:;/);
    expect(await shown.text()).toBe(
      template.htmlContent.replace('{{ name }}', '&lt;b&gt;Ada').replace('https://acme.example/', '#'),
    );
    const withImages = await fetch(`${address}?images=true`, { headers: { 'x-api-key': client.apiKey } });
    expect(withImages.headers.get('content-security-policy')).toContain('img-src data: https: http:;');
  });

  it.each(['[1]', 'null', '{', '"x"'])('refuses the variables %s', async (variables) => {
    const { body: created } = await client.post('/api/templates', { ...template, name: 'T' });
    const path = `/api/templates/${String(created.id)}/preview?variables=${encodeURIComponent(variables)}`;
    const { status, body } = await client.get(path);
    expect([status, body.error]).toEqual([
      400,
      'variables must be a JSON object of at most 1000 levels, without numbers beyond ±1.8e308',
    ]);
  });

  it.each([1_000, 7_000])('refuses variables of 1 + %d levels', async (depth) => {
    const { body: created } = await client.post('/api/templates', { ...template, name: 'T' });
    // Brackets stay as they are, because an encoded query would be too long.
    const variables = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const { status, body } = await client.get(`/api/templates/${String(created.id)}/preview?variables=${variables}`);
    expect([status, body.error]).toEqual([400, expect.stringMatching(/at most 1000 levels, /)]);
  });
});

describe('a draft of a template', () => {
  it('is rendered without being saved, including MJML', async () => {
    const { body: before } = await client.get<{ templates: unknown[] }>('/api/templates');
    const { status, body } = await client.post('/api/templates/render', { ...template, variables: { name: 'Ada' } });
    expect([status, body.subject, body.html]).toEqual([
      200,
      'Hi Ada',
      template.htmlContent.replace('{{ name }}', 'Ada'),
    ]);
    const htmlContent =
      '<mjml><mj-body><mj-section><mj-column><mj-text>{{ name }}</mj-text></mj-column></mj-section></mj-body></mjml>';
    const mjml = await client.post('/api/templates/render', { ...template, htmlContent, variables: { name: 'Ada' } });
    expect(String(mjml.body.html)).toMatch(/^\s*<!doctype html>[^]*Ada/i);
    expect((await client.get<{ templates: unknown[] }>('/api/templates')).body).toEqual(before);
  });

  it('is 400 with line and column if it does not parse, and in strict mode for an unknown variable', async () => {
    const broken = await client.post('/api/templates/render', { ...template, htmlContent: '<p>\n{% if %}' });
    expect([broken.status, broken.body.error]).toEqual([400, expect.stringMatching(/htmlContent.*line 2/)]);
    const { status, body } = await client.post('/api/templates/render', { ...template, strict: true });
    expect([status, body.error]).toEqual([400, expect.stringContaining('has no name')]);
  });
});
