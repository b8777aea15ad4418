import { SIGN_HEADERS, RequestClassifier } from '../../../src/events/classification/classify-request.js';
import { readScannerNetworks } from '../../../src/events/classification/scanner-networks.js';
import type { HitKind } from '../../../src/events/classification/agents.js';
import { verdictOf } from '../../../src/events/verdict.js';
import { processorTime } from '../../support/processor-time.js';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const BARE_WEBKIT = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const GMAIL = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)';
const EOP = '40.107.22.5';
const PROOFPOINT = '148.163.130.9';
const APPLE = '172.226.10.4';
const HOME = '192.0.2.7';

const classifier = new RequestClassifier(readScannerNetworks());

/** The verdict on a request that has these headers in addition to a browser's Accept-Language. */
function verdict(kind: HitKind, headers: Record<string, string | undefined>, address: string | undefined = HOME) {
  const all: Record<string, string | undefined> = { 'accept-language': 'en', ...headers };
  const code = classifier.classify(
    kind,
    SIGN_HEADERS.map((name) => all[name]),
    address,
  );
  return Object.values(verdictOf(code)).join(' ');
}

describe('the class of a request', () => {
  it.each(['open', 'click'] as const)('is human without a sign of a machine, for an %s of a browser', (kind) => {
    expect(verdict(kind, { 'user-agent': CHROME })).toBe('human none probable');
    expect(verdict(kind, { 'user-agent': CHROME }, undefined)).toBe('human none probable');
  });

  it('does not depend on the case of a name', () => {
    expect(verdict('click', { 'user-agent': 'PYTHON-Requests/2.31.0' })).toBe('bot user-agent:http-library certain');
  });

  it('counts an image proxy as its reader for opens only, because it follows no links', () => {
    expect(verdict('open', { 'user-agent': GMAIL })).toBe('proxy user-agent:google-image-proxy certain');
    expect(verdict('click', { 'user-agent': GMAIL })).toBe('bot user-agent:crawler probable');
  });

  it('is prefetch for the exact user agent of Apple, and weak for bare WebKit', () => {
    expect(verdict('open', { 'user-agent': 'Mozilla/5.0' })).toBe('prefetch user-agent:apple-mpp certain');
    expect(verdict('open', { 'user-agent': BARE_WEBKIT })).toBe('human user-agent:bare-webkit probable');
    expect(verdict('click', { 'user-agent': BARE_WEBKIT })).toBe('human none probable');
  });

  it.each(['sec-purpose', 'purpose', 'x-purpose', 'x-moz'])('is prefetch when the header %s indicates it', (header) => {
    expect(verdict('click', { 'user-agent': CHROME, [header]: 'prefetch;prerender' })).toBe(
      `prefetch header:${header} certain`,
    );
    expect(verdict('click', { 'user-agent': CHROME, [header]: 'navigate' })).toBe('human none probable');
  });

  it('is a scanner for a browser in the filtering networks of Microsoft, and for a missing user agent', () => {
    expect(verdict('open', { 'user-agent': GMAIL }, EOP)).toBe('scanner network:microsoft-eop certain');
    expect(verdict('click', { 'user-agent': CHROME }, `::ffff:${EOP}`)).toBe('scanner network:microsoft-eop certain');
    expect(verdict('click', { 'user-agent': undefined })).toBe('scanner user-agent:missing probable');
    expect(verdict('click', { 'user-agent': '' })).toBe('scanner user-agent:missing probable');
  });

  it('stays human with one weak sign of a click, and is a scanner with two', () => {
    const mute = { 'user-agent': CHROME, 'accept-language': undefined };
    expect(verdict('click', { 'user-agent': CHROME }, PROOFPOINT)).toBe('human network:proofpoint probable');
    expect(verdict('click', mute)).toBe('human header:no-accept-language probable');
    expect(verdict('click', mute, PROOFPOINT)).toBe('scanner network:proofpoint probable');
    expect(verdict('open', mute)).toBe('human none probable');
    expect(verdict('open', mute, PROOFPOINT)).toBe('human network:proofpoint probable');
  });

  it('uses the networks of Apple only for opens without a browser, because people browse through them', () => {
    expect(verdict('open', { 'user-agent': BARE_WEBKIT }, APPLE)).toBe('human network:apple-egress probable');
    expect(verdict('open', { 'user-agent': CHROME }, APPLE)).toBe('human none probable');
    expect(verdict('click', { 'user-agent': CHROME }, APPLE)).toBe('human none probable');
  });

  it('does not classify a mail program or a phone as a robot', () => {
    for (const userAgent of [
      'Outlook-Android/2.0',
      'BlueMail/1.140',
      'Microsoft Outlook 16.0.4266',
      'Mozilla/5.0 (Linux; Android 12; CUBOT X50) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
    ]) {
      expect(verdict('open', { 'user-agent': userAgent })).toBe('human none probable');
    }
  });

  it('takes constant time for the longest hostile user agent', () => {
    for (const part of ['(', 'Mozilla/5.0 (', 'AppleWebKit/', 'a', ' ', 'Chrome/1', 'imageprox']) {
      const spentMs = processorTime();
      verdict('open', { 'user-agent': part.repeat(16_000 / part.length) });
      expect(spentMs()).toBeLessThan(100);
    }
  });
});
