import { load } from 'cheerio';
import { Tokenizer } from 'htmlparser2';
import { RewritingStream } from 'parse5-html-rewriting-stream';
import { trackLinks } from '../../dist/rendering/track-links.js';

/*
 * Every contestant gets the same work: replace the http(s) href of every <a> and <area> by an address with a running
 * number, and add the pixel before </body>. Tokens are measured separately.
 */

export const TRACKED = 'https://t.test/api/t/c/';
const PIXEL_URL = 'https://t.test/api/t/o/pixel';
const PIXEL = `<img src="${PIXEL_URL}" width="1" height="1" alt="" style="display:block;border:0">`;
const isWeb = (url) => url.startsWith('https://') || url.startsWith('http://');

const tracker = {
  trackingUrl: (_url, position) => TRACKED + position,
  isOurs: (url) => url.startsWith(TRACKED),
  isExempt: () => false,
  pixelUrl: PIXEL_URL,
};

function ours(html) {
  return trackLinks(html, tracker).html;
}

/**
 * A careful hand-written scanner for the same job without our rules: one pass by indexOf, a state per tag
 * with all three ways to write a value, comments and raw text skipped. No character references, no conditional
 * comments, no pictures, no opt-outs, no check of the URL, no limits, nothing cut off at the end.
 */
function handWrittenScanner(html) {
  const parts = [];
  let copied = 0;
  let position = 0;
  let bodyEnd = -1;
  let at = html.indexOf('<');
  while (at !== -1) {
    if (html.startsWith('<!--', at)) {
      const end = html.indexOf('-->', at + 4);
      at = end === -1 ? -1 : html.indexOf('<', end + 3);
      continue;
    }
    let index = at + 1;
    const isEndTag = html.charCodeAt(index) === 0x2f;
    if (isEndTag) index++;
    const nameStart = index;
    while (isNameCharacter(html.charCodeAt(index))) index++;
    if (index === nameStart) {
      at = html.indexOf('<', index);
      continue;
    }
    const name = html.slice(nameStart, index).toLowerCase();
    if (isEndTag && name === 'body') bodyEnd = at;
    const isLink = !isEndTag && (name === 'a' || name === 'area');
    for (;;) {
      while (isBlank(html.charCodeAt(index))) index++;
      const attributeStart = index;
      let code = html.charCodeAt(index);
      while (code !== 0x3d && code !== 0x3e && !isBlank(code) && index < html.length) code = html.charCodeAt(++index);
      const attributeEnd = index;
      while (isBlank(code)) code = html.charCodeAt(++index);
      if (code !== 0x3d) {
        if (code === 0x3e || index >= html.length) break;
        continue;
      }
      code = html.charCodeAt(++index);
      while (isBlank(code)) code = html.charCodeAt(++index);
      let valueStart = index;
      let valueEnd;
      if (code === 0x22 || code === 0x27) {
        valueStart++;
        valueEnd = html.indexOf(code === 0x22 ? '"' : "'", valueStart);
        if (valueEnd === -1) valueEnd = html.length;
        index = valueEnd + 1;
      } else {
        while (code !== 0x3e && !isBlank(code) && index < html.length) code = html.charCodeAt(++index);
        valueEnd = index;
      }
      if (!isLink || attributeEnd - attributeStart !== 4) continue;
      if (html.slice(attributeStart, attributeEnd).toLowerCase() !== 'href') continue;
      if (!html.startsWith('http', valueStart)) continue;
      parts.push(html.slice(copied, valueStart), TRACKED + position++);
      copied = valueEnd;
    }
    if (!isEndTag && RAW_TEXT.has(name)) index = html.indexOf(`</${name}`, index);
    at = index === -1 ? -1 : html.indexOf('<', index);
  }
  const end = bodyEnd === -1 ? html.length : bodyEnd;
  parts.push(html.slice(copied, end), PIXEL, html.slice(end));
  return parts.join('');
}

const RAW_TEXT = new Set(['script', 'style', 'title', 'textarea', 'xmp']);
const isBlank = (code) => code === 0x20 || (code >= 0x09 && code <= 0x0d);
const isNameCharacter = (code) => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;

/** Faster still, but wrong for values in other quotes or without quotes: it handles only '"'. */
function quoteCounter(html) {
  const parts = [];
  let copied = 0;
  let position = 0;
  let bodyEnd = -1;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    if (html.startsWith('<!--', at)) {
      at = html.indexOf('-->', at) + 3;
      continue;
    }
    const isLink = (html.charCodeAt(at + 1) | 0x20) === 0x61 && html.charCodeAt(at + 2) <= 0x20;
    if (html.startsWith('</body', at)) bodyEnd = at;
    const isStyle = html.startsWith('<style', at);
    let index = at + 1;
    for (;;) {
      const code = html.charCodeAt(index);
      if (code === 0x3e) break;
      if (code !== 0x22) {
        index++;
        continue;
      }
      const end = html.indexOf('"', index + 1);
      if (isLink && html.startsWith('href=', index - 5) && html.startsWith('http', index + 1)) {
        parts.push(html.slice(copied, index + 1), TRACKED + position++);
        copied = end;
      }
      index = end + 1;
    }
    at = isStyle ? html.indexOf('</style', index) : index + 1;
  }
  const end = bodyEnd === -1 ? html.length : bodyEnd;
  parts.push(html.slice(copied, end), PIXEL, html.slice(end));
  return parts.join('');
}

/** Not a contestant but the lower bound: it finds 'href="http' without checking the context. */
function search(html) {
  const parts = [];
  let copied = 0;
  let position = 0;
  for (let at = html.indexOf('href="http'); at !== -1; at = html.indexOf('href="http', at)) {
    const start = at + 6;
    const end = html.indexOf('"', start);
    if (!html.startsWith('<link', html.lastIndexOf('<', at))) {
      parts.push(html.slice(copied, start), TRACKED + position++);
      copied = end;
    }
    at = end;
  }
  const end = html.lastIndexOf('</body');
  parts.push(html.slice(copied, end), PIXEL, html.slice(end));
  return parts.join('');
}

function htmlparser2Slices(html) {
  const parts = [];
  let copied = 0;
  let position = 0;
  let isLink = false;
  let isHref = false;
  let valueStart = -1;
  let valueEnd = -1;
  let bodyEnd = -1;
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: false },
    {
      onopentagname(start, end) {
        const name = html.slice(start, end).toLowerCase();
        isLink = name === 'a' || name === 'area';
      },
      onattribname(start, end) {
        isHref = isLink && html.slice(start, end).toLowerCase() === 'href';
        valueStart = -1;
      },
      onattribdata(start, end) {
        if (valueStart === -1) valueStart = start;
        valueEnd = end;
      },
      onattribend() {
        if (!isHref || valueStart === -1 || !isWeb(html.slice(valueStart, valueEnd))) return;
        parts.push(html.slice(copied, valueStart), TRACKED + position++);
        copied = valueEnd;
      },
      onclosetag(start, end) {
        if (html.slice(start, end).toLowerCase() === 'body') bodyEnd = start - 2;
      },
      onattribentity: ignore,
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onopentagend: ignore,
      onprocessinginstruction: ignore,
      onselfclosingtag: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  const end = bodyEnd === -1 ? html.length : bodyEnd;
  parts.push(html.slice(copied, end), PIXEL, html.slice(end));
  return parts.join('');
}

function parse5Stream(html) {
  const stream = new RewritingStream();
  const parts = [];
  let position = 0;
  stream.on('startTag', (tag, raw) => {
    const href =
      tag.tagName === 'a' || tag.tagName === 'area' ? tag.attrs.find(({ name }) => name === 'href') : undefined;
    if (href === undefined || !isWeb(href.value)) return stream.emitRaw(raw);
    href.value = TRACKED + position++;
    stream.emitStartTag(tag);
  });
  stream.on('endTag', (tag, raw) => {
    if (tag.tagName === 'body') stream.emitRaw(PIXEL);
    stream.emitRaw(raw);
  });
  stream.on('data', (chunk) => parts.push(chunk));
  stream.write(html);
  stream.end();
  return parts.join('');
}

function cheerio(html) {
  const $ = load(html);
  let position = 0;
  $('a[href], area[href]').each((_, element) => {
    if (isWeb(element.attribs.href)) element.attribs.href = TRACKED + position++;
  });
  $('body').append(PIXEL);
  return $.html();
}

/** By name; the others are compared with the first one. */
export const contestants = {
  'trackLinks (all rules)': ours,
  'hand-written scanner without the rules': handWrittenScanner,
  'htmlparser2 Tokenizer + slices': htmlparser2Slices,
  'parse5-html-rewriting-stream': parse5Stream,
  cheerio: cheerio,
  'the same for double quotes alone': quoteCounter,
  "search for 'href=\"http'": search,
};

/** True if everything except the links and the pixel is unchanged. */
export function keepsBytes(rewrite, html) {
  const values = [];
  html.replace(/<a\s[^>]*?href="(https?:[^"]*)"/g, (_, value) => values.push(value));
  const back = rewrite(html)
    .replace(PIXEL, '')
    .replace(/https:\/\/t\.test\/api\/t\/c\/(\d+)/g, (_, position) => values[Number(position)]);
  return back === html;
}
