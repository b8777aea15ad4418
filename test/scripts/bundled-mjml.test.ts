import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..', '..');
const CHUNKS = join(ROOT, 'dist', 'chunks');

const DOCUMENTS = [
  `<mjml lang="de"><mj-head>
    <mj-attributes><mj-all font-family="Ubuntu"/><mj-class name="big" font-size="30px"/></mj-attributes>
    <mj-breakpoint width="320px"/><mj-font name="Lato" href="https://fonts.example/lato.css"/>
    <mj-html-attributes><mj-selector path=".red a"><mj-html-attribute name="data-id">7</mj-html-attribute></mj-selector></mj-html-attributes>
    <mj-preview>&lt;Preview&gt;</mj-preview><mj-title>A &amp; B</mj-title>
    <mj-style>.x { color: red }</mj-style><mj-style inline="inline">.red a > b, p:first-child { color: #f00 !important }</mj-style>
  </mj-head><mj-body>
    <mj-hero background-url="https://a.example/h.png"><mj-text mj-class="big">Hero</mj-text></mj-hero>
    <mj-wrapper><mj-section css-class="red"><mj-group><mj-column><mj-text><p>Hello <a href="https://a.example/?a=1&amp;b=2">x<b>y</b></a></p></mj-text></mj-column>
      <mj-column><mj-button href="https://b.example/">{{ name | upcase }}</mj-button></mj-column></mj-group></mj-section></mj-wrapper>
    <mj-section background-url="https://a.example/s.png"><mj-column>
      <mj-divider/><mj-spacer height="5px"/><mj-image src="https://a.example/i.png" href="https://c.example/" alt="\u00e9"/>
      <mj-table><tr><td>1</td></tr></mj-table><mj-raw><!-- [if mso]>x<![endif] --></mj-raw>
      <mj-social><mj-social-element name="github" href="https://github.example/">G</mj-social-element></mj-social>
      <mj-accordion><mj-accordion-element><mj-accordion-title>Q</mj-accordion-title><mj-accordion-text>A</mj-accordion-text></mj-accordion-element></mj-accordion>
      <mj-carousel><mj-carousel-image src="https://a.example/1.png"/><mj-carousel-image src="https://a.example/2.png"/></mj-carousel>
    </mj-column></mj-section>
    <mj-section><mj-column><mj-navbar hamburger="hamburger"><mj-navbar-link href="/a">A</mj-navbar-link></mj-navbar></mj-column></mj-section>
  </mj-body></mjml>`,
  '<mjml><mj-body><mj-section><mj-column><mj-text color="nonsense" wrong="1">x</mj-text></mj-column></mj-section></mj-body></mjml>',
  '<mjml><mj-body><mj-unknown/></mj-body></mjml>',
  '<mjml><mj-body>',
];

/** Compiles the documents in a process of its own, as the rendering thread does. @param module path of the compiler */
function compileBy(module: string): unknown {
  const program = `import { compile } from ${JSON.stringify(pathToFileURL(module).href)};
    const outcomes = [];
    for (const document of ${JSON.stringify(DOCUMENTS)}) outcomes.push(await compile(document));
    console.log(JSON.stringify(outcomes));`;
  const parameters = ['--input-type=module', '--eval', program];
  const { stdout, stderr, status } = spawnSync(process.execPath, parameters, { cwd: ROOT, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout.replaceAll(/[0-9a-f]{16}/g, 'random'));
}

const bundled = join(CHUNKS, readdirSync(CHUNKS).find((name) => /^mjml-compiler-\w+\.js$/.test(name)) ?? 'missing');

it('compiles every component of MJML as the package does, without the packages that the build leaves out', () => {
  const outcomes = compileBy(bundled);
  expect(outcomes).toEqual(compileBy(join(ROOT, 'dist/rendering/mjml-compiler.js')));
  expect(outcomes).toMatchObject([
    { kind: 'compiled' },
    { kind: 'invalid' },
    { kind: 'invalid' },
    { kind: 'compiled' },
  ]);
});

it('needs no package of MJML at run time', () => {
  expect(readFileSync(bundled, 'utf8')).not.toMatch(/^import .* from "(?!node:|\.)(mjml|juice|cheerio|htmlnano)/m);
});
