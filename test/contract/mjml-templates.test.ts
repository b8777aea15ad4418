import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', RATE_LIMIT_PER_MINUTE: '0' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

const template = { name: 'Welcome', subject: 'Hello' };
const MJML = (text: string) =>
  `<mjml>\n<mj-body><mj-section><mj-column>\n<mj-text>${text}</mj-text></mj-column></mj-section></mj-body></mjml>`;

it('compiles MJML behind tags, which take effect', async () => {
  const tags = '{% comment %} <p> {% endcomment %}\n{% capture who %}Dear {{ name }}{% endcapture %}\n';
  const htmlContent = `${tags}${MJML('{{ who }}')}`;
  const { body: created } = await client.post('/api/templates', { ...template, htmlContent });
  const path = `/api/templates/${String(created.id)}`;
  expect((await client.get(path)).body).toMatchObject({ htmlContent, variables: ['name'] });
  const { body } = await client.post(`${path}/render`, { variables: { name: 'Ada <b>' } });
  expect(body.html).toMatch(/^\s*<!doctype html>.*>Dear Ada &lt;b&gt;<.*<\/html>\s*$/s);
  const broken = await client.post('/api/templates', {
    ...template,
    htmlContent: `\n${tags}<mjml>\n<mj-nope/></mjml>`,
  });
  expect(broken.body).toMatchObject({ error: expect.stringMatching(/is not valid MJML: line 5: /) as string });
});

it.each([
  ['{% if a %}', '{% endif %}', 'line 2: <mjml> must not stand in a block: put {% if %} into its <mj-raw>'],
  ['{{ a }}', '', 'line 2: only tags such as {% assign %} may stand in front of <mjml>'],
])('refuses MJML behind %s', async (before, after, problem) => {
  const htmlContent = `\n${before}${MJML('x')}${after}`;
  const { status, body } = await client.post('/api/templates', { ...template, htmlContent });
  const message = `htmlContent is not valid MJML: ${problem}`;
  expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ field: 'htmlContent', message }] } });
});
