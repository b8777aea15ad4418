import { nextPage } from '../support/next-page.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', RATE_LIMIT_PER_MINUTE: '0' } });
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(() => service?.stop());

const template = {
  name: 'Welcome',
  subject: 'Hello {{ name }}',
  htmlContent:
    '<p title="{{ name }}">Hello {{ name | default: "there" }}</p>{% for item in items %}<i>{{ item }}</i>{% endfor %}',
};
const MJML = (text: string) =>
  `<mjml>\n<mj-body><mj-section><mj-column>\n<mj-text>${text}</mj-text></mj-column></mj-section></mj-body></mjml>`;

async function created(changes: object = {}): Promise<string> {
  const { status, body } = await client.post('/api/templates', { ...template, ...changes });
  expect(status).toBe(201);
  return String(body.id);
}

it('is created, read, changed and deleted', async () => {
  const { status, body } = await client.post('/api/templates', template);
  expect(status).toBe(201);
  const time = expect.stringMatching(/^20.*Z$/) as string;
  const view = { name: 'Welcome', version: 1, variables: ['name', 'items'], createdAt: time, updatedAt: time };
  expect(body).toEqual({ id: body.id, ...view });
  const path = `/api/templates/${String(body.id)}`;
  const { subject, htmlContent } = template;
  expect((await client.get(path)).body).toEqual({ ...body, subject, htmlContent, textContent: null });

  const next = { name: 'Goodbye', subject: 'Bye {{ first }}', htmlContent: '<p>x</p>', textContent: '{{ last }}' };
  const changed = await client.put(path, next);
  expect(changed.body).toMatchObject({ id: body.id, name: 'Goodbye', version: 2, variables: ['first', 'last'] });
  expect(changed.body.createdAt).toBe(body.createdAt);
  expect((await client.get(path)).body).toEqual({ ...changed.body, ...next });

  expect((await client.delete(path)).status).toBe(204);
  for (const gone of [
    client.get(path),
    client.delete(path),
    client.put(path, next),
    client.post(`${path}/render`, {}),
  ]) {
    expect((await gone).status).toBe(404);
  }
});

it('keeps its versions, newest first, with their content', async () => {
  const path = `/api/templates/${await created()}`;
  await client.put(path, { name: 'Welcome', subject: 'Second', htmlContent: MJML('{{ city }}'), textContent: 'T' });
  const first = await client.get<{ versions: object[] }>(`${path}/versions?limit=1`);
  expect(first.body.versions).toMatchObject([{ version: 2, subject: 'Second', variables: ['city'] }]);
  const rest = await client.get<{ versions: object[] }>(nextPage(first.headers)!);
  expect(rest.body.versions).toMatchObject([{ version: 1, subject: template.subject }]);
  const { subject, htmlContent } = template;
  expect((await client.get(`${path}/versions/1`)).body).toMatchObject({ subject, htmlContent, textContent: null });
  expect((await client.get(`${path}/versions/2`)).body).toMatchObject({ htmlContent: MJML('{{ city }}') });
  for (const version of ['0', '3', '01', '9999999999', 'x'])
    expect((await client.get(`${path}/versions/${version}`)).status).toBe(404);
});

it('lists templates newest first, in pages', async () => {
  const ids = [await created(), await created(), await created()].reverse();
  const first = await client.get<{ templates: { id: string }[] }>('/api/templates?limit=2');
  const second = await client.get<{ templates: { id: string }[] }>(nextPage(first.headers)!);
  expect([...first.body.templates, ...second.body.templates].map(({ id }) => id)).toEqual(ids);
  expect(nextPage(second.headers)).toBeUndefined();
});

it('renders, escaping only HTML, and derives the text from the HTML if it has none', async () => {
  const path = `/api/templates/${await created()}/render`;
  const variables = { name: '<Ada> & "Bob"', items: ['1 < 2'] };
  const { status, body } = await client.post(path, { variables });
  expect(status).toBe(200);
  expect(body).toEqual({
    subject: 'Hello <Ada> & "Bob"',
    html: '<p title="&lt;Ada&gt; &amp; &quot;Bob&quot;">Hello &lt;Ada&gt; &amp; &quot;Bob&quot;</p><i>1 &lt; 2</i>',
    text: 'Hello <Ada> & "Bob"\n\n1 < 2',
  });
  expect((await client.post(path, {})).body).toEqual({
    subject: 'Hello',
    html: '<p title="">Hello there</p>',
    text: 'Hello there',
  });
  const own = `/api/templates/${await created({ textContent: 'Dear {{ name }}' })}/render`;
  expect((await client.post(own, { variables: { name: '<b>\n' } })).body.text).toBe('Dear <b>\n');
});

it('renders without tracking: links and images do not change', async () => {
  const htmlContent = '<body><a href="https://shop.example/?q={{ name }}">Shop</a></body>';
  const path = `/api/templates/${await created({ htmlContent })}/render`;
  const { body } = await client.post(path, { variables: { name: 'a&b' } });
  expect(body.html).toBe('<body><a href="https://shop.example/?q=a%26b">Shop</a></body>');
});

it.each(['include', 'render', 'layout', 'import'])('cannot read files: {%% %s %%} is no tag', async (tag) => {
  const { status, body } = await client.post('/api/templates', {
    ...template,
    htmlContent: `{% ${tag} "/etc/hosts" %}`,
  });
  const error = `htmlContent is not a valid template: line 1, column 1: tag "${tag}" not found`;
  expect([status, body.error]).toEqual([400, error]);
});

it('removes line breaks from a subject', async () => {
  const path = `/api/templates/${await created({ subject: 'Hello {{ name }}' })}/render`;
  const { body } = await client.post(path, { variables: { name: 'Ada\r\nBcc: x@example.com' } });
  expect(body.subject).toBe('Hello Ada Bcc: x@example.com');
});

it('names an unknown variable in strict mode', async () => {
  const path = `/api/templates/${await created()}/render`;
  const { status, body } = await client.post(path, { strict: true, variables: { name: 'Ada' } });
  expect(status).toBe(400);
  const message = 'variables has no items, which htmlContent uses';
  expect(body).toMatchObject({ error: message, details: [{ field: 'variables', message }] });
  expect((await client.post(path, { strict: true, variables: { name: '', items: [] } })).status).toBe(200);
});

it('knows the variable in strict mode that the service fills in', async () => {
  const path = `/api/templates/${await created({ htmlContent: '<a href="{{ unsubscribe_url }}">Unsubscribe</a>' })}/render`;
  const { status, body } = await client.post(path, { strict: true, variables: { name: 'Ada', items: [] } });
  expect([status, body.html]).toEqual([200, '<a href="">Unsubscribe</a>']);
});

it.each(['Stop: {{ unsubscribe_url }}', '{% if unsubscribe_url %}Bye{% endif %}'])(
  'has no address of the unsubscribe page in its subject: %s',
  async (subject) => {
    const path = `/api/templates/${await created()}`;
    const draft = { ...template, subject };
    const message = expect.stringMatching(/^subject must not use unsubscribe_url: /) as string;
    for (const { status, body } of [
      await client.post('/api/templates', draft),
      await client.put(path, draft),
      await client.post('/api/templates/render', { subject, htmlContent: '<p>x</p>' }),
    ])
      expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ field: 'subject', message }] } });
    expect((await client.get(path)).body.version).toBe(1);
  },
);

it('may have the words and properties of other variables in its subject', async () => {
  const id = await created({ subject: 'About unsubscribe_url {{ page.unsubscribe_url }}' });
  const { body } = await client.post(`/api/templates/${id}/render`, { variables: { page: { unsubscribe_url: 'x' } } });
  expect(body.subject).toBe('About unsubscribe_url x');
});

it.each([
  ['subject', { subject: '{{ name' }, 'line 1, column 1: output "{{ name" not closed'],
  ['htmlContent', { htmlContent: '<p>\n  {% nothing %}</p>' }, 'line 2, column 3: tag "nothing" not found'],
  ['textContent', { textContent: 'a\n{{ b | nothing }}' }, 'line 2, column 1: undefined filter: nothing'],
  ['htmlContent', { htmlContent: MJML('{% if a %}') }, 'line 3, column 10: tag {% if a %} not closed'],
])('reports where %s does not parse', async (field, changes, problem) => {
  const { status, body } = await client.post('/api/templates', { ...template, ...changes });
  expect(status).toBe(400);
  const message = `${field} is not a valid template: ${problem}`;
  expect(body).toMatchObject({ error: message, details: [{ field, message }] });
  const path = `/api/templates/${await created()}`;
  expect((await client.put(path, { ...template, ...changes })).status).toBe(400);
  expect((await client.get(path)).body.version).toBe(1);
});

it('refuses names of variables that would make lists of templates huge', async () => {
  const long = 'x'.repeat(4_000_000);
  const message =
    'htmlContent and the other fields read variables whose names have more than 10000 characters together';
  for (const changes of [{ htmlContent: `{{ ${long} }}` }, { textContent: `{{ ${long.slice(0, 10_001)} }}` }]) {
    const { status, body } = await client.post('/api/templates', { ...template, ...changes });
    expect([status, body.details]).toEqual([400, [{ field: 'htmlContent', message }]]);
    expect((await client.put(`/api/templates/${await created()}`, { ...template, ...changes })).status).toBe(400);
  }
  expect(JSON.stringify((await client.get('/api/templates')).body).length).toBeLessThan(10_000);
  await created({ htmlContent: `{{ ${long.slice(0, 9_000)} }}{{ ${long.slice(0, 900)} }}` });
});

it('does not list variables whose names no request can set', async () => {
  const { status, body } = await client.post('/api/templates', {
    ...template,
    htmlContent: '{{ ["a\\u0000"] }}{{ b }}',
  });
  expect([status, body.variables]).toEqual([201, ['name', 'b']]);
});

it('compiles MJML once, and keeps the source as written', async () => {
  const htmlContent = MJML('Hello {{ name | default: "there" }}');
  const id = await created({ htmlContent });
  expect((await client.get(`/api/templates/${id}`)).body.htmlContent).toBe(htmlContent);
  const { body } = await client.post(`/api/templates/${id}/render`, { variables: { name: '<b>' } });
  expect(body.html).toMatch(/^\s*<!doctype html>[\s\S]*Hello &lt;b&gt;/i);
  const { status, body: refused } = await client.post('/api/templates', {
    ...template,
    htmlContent: '<mjml><mj-x/></mjml>',
  });
  expect([status, refused.error]).toEqual([400, expect.stringContaining('htmlContent is not valid MJML')]);
});

it('returns 400 if a template takes too long or too much memory', async () => {
  const loops = `${'{% for i in (1..1000) %}'.repeat(4)}x${'{% endfor %}'.repeat(4)}`;
  const id = await created({ htmlContent: loops });
  const { status, body } = await client.post(`/api/templates/${id}/render`, {});
  expect(status).toBe(400);
  expect(body.error).toMatch(/^htmlContent takes longer than \d+ ms to render$/);
});

it('refuses more than 1,000 templates', async () => {
  await service.database.query(
    `insert into templates (id, organization_id, name)
     select gen_random_uuid(), $1, 'x' from generate_series(1, 999)`,
    [client.organizationId],
  );
  await created();
  const { status, body } = await client.post('/api/templates', template);
  expect([status, body.error]).toEqual([409, 'An organization can have 1000 templates: delete one first']);
});
