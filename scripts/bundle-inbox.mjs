import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import process from 'node:process';
import { build } from 'esbuild';
import { forNode, leaveOut } from './bundling.mjs';

// Builds dist/inbox/main.js from inbox.mjs, so that the inbox starts in a third of the time.

/** MailDev's server for language models, which the inbox does not use. */
const UNUSED_BY_MAILDEV = {
  '@maildev/api': [
    '@maildev/mcp',
    ...['server/index', 'server/streamableHttp', 'types'].map((name) => `@modelcontextprotocol/sdk/${name}.js`),
  ],
};

/** MailDev starts a whole browser window to clean the HTML of mails: only the first such mail needs it. */
const AT_ONCE = `import createDOMPurify from 'dompurify';
import { JSDOM } from 'jsdom';
`;
const WINDOW = `const { window } = new JSDOM('');
const DOMPurify = createDOMPurify(window);
`;

await build({
  ...forNode,
  entryPoints: { 'inbox/main': 'scripts/inbox.mjs' },
  outdir: 'dist',
  plugins: [leaveOut(UNUSED_BY_MAILDEV), { name: 'late-window', setup: openWindowLate }, ...forNode.plugins],
  logLevel: 'error',
});

function openWindowLate({ onLoad }) {
  onLoad({ filter: /@maildev[\\/]smtp[\\/]dist[\\/]sanitize\.js$/ }, async ({ path }) => {
    const code = await readFile(path, 'utf8');
    if (!code.includes(AT_ONCE) || !code.includes(WINDOW)) throw new Error('MailDev cleans HTML in a new way');
    const place = `__join(__project, ${JSON.stringify(relative(process.cwd(), path))})`;
    const late = `const load = __createRequire(${place});
let purify;
const DOMPurify = {
  sanitize(...parameters) {
    purify ??= load('dompurify')(new (load('jsdom').JSDOM)('').window);
    return purify.sanitize(...parameters);
  },
};
`;
    return { contents: code.replace(AT_ONCE, '').replace(WINDOW, late) };
  });
}
