import type { EngagementClass } from '../verdict.js';

/** The kinds of hits that a request can be. */
export type HitKind = 'open' | 'click';

/** A user agent that mail programs, gateways or previews send. */
export interface KnownAgent {
  /** Part of the user agent, ignoring case; `exact` compares the whole text. */
  readonly token: string;
  readonly exact?: true;
  /** `person` is a mail program that the general rules would mistake for a machine. */
  readonly class: EngagementClass | 'person';
  /** The word behind `user-agent:` in the reason. */
  readonly name: string;
  /** The hits that the sign applies to; both by default. An image proxy follows no links. */
  readonly only?: HitKind;
  readonly source: string;
}

const MATOMO = 'Matomo Device Detector, regexes/bots.yml';
const CRAWLERS = 'crawler-user-agents, crawler-user-agents.json';
/** Lists that several open-source trackers keep; no vendor documents the name. */
const TRACKERS = 'open-source mail trackers';
const VENDOR = "the product's own name";

function proxy(token: string, name: string, source: string): KnownAgent {
  return { token, class: 'proxy', name, only: 'open', source };
}

function preview(token: string, name: string, source = CRAWLERS): KnownAgent {
  return { token, class: 'preview', name, source };
}

function scanner(token: string, name: string, source = VENDOR): KnownAgent {
  return { token, class: 'scanner', name, source };
}

function library(token: string): KnownAgent {
  return { token, class: 'bot', name: 'http-library', source: CRAWLERS };
}

function mailProgram(token: string): KnownAgent {
  return { token, class: 'person', name: 'mail-program', source: VENDOR };
}

/** The first entry that matches counts. */
export const KNOWN_AGENTS: readonly KnownAgent[] = [
  // Webmail that fetches an image at the moment of reading.
  proxy('googleimageproxy', 'google-image-proxy', 'Google, Gmail help 145919'),
  proxy('yahoomailproxy', 'yahoo-mail-proxy', 'Yahoo, help SLN28749'),
  proxy('yahoo mailproxy', 'yahoo-mail-proxy', 'Yahoo, help SLN28749'),
  proxy('seznamemailproxy', 'seznam-email-proxy', MATOMO),
  proxy('secureurl.fwdcdn.com', 'ukrnet-mail-proxy', MATOMO),
  proxy('ramblermail', 'rambler-mail-proxy', MATOMO),
  proxy('mailruimageproxy', 'mail-ru-image-proxy', TRACKERS),
  proxy('yandeximageresizer', 'yandex-image-proxy', 'Yandex, Webmaster help, robots'),
  proxy('fastmailua', 'fastmail-image-proxy', CRAWLERS),
  proxy('hey.com/imageproxy', 'hey-image-proxy', TRACKERS),
  proxy('shortwave image fetcher', 'shortwave-image-proxy', CRAWLERS),
  proxy('imageproxy', 'other-image-proxy', 'the form of the names above'),
  proxy('image-proxy', 'other-image-proxy', 'the form of the names above'),
  proxy('mailproxy', 'other-image-proxy', 'the form of the names above'),
  // Fetches images whether or not a person reads the mail.
  {
    token: 'mozilla/5.0',
    exact: true,
    class: 'prefetch',
    name: 'apple-mpp',
    only: 'open',
    source: 'uap-core issue 509; Mailgun, Apple Mail Privacy Protection',
  },
  {
    token: 'chrome/42.0.2311.135 safari/537.36 edge/12.246 mozilla/5.0',
    class: 'prefetch',
    name: 'gmail-prefetch',
    source: 'GMass, false opens in Gmail; ahoy_email issue 139; mautic pull request 10245',
  },
  // Previews of a link that a person pasted. Telegram, LINE and Apple also name other services, so the order matters.
  preview('slackbot', 'slack', 'Slack, api.slack.com/robots'),
  preview('slack-imgproxy', 'slack', 'Slack, api.slack.com/robots'),
  preview('telegrambot', 'telegram'),
  preview('skypeuripreview', 'skype'),
  preview('microsoftpreview', 'microsoft-preview', 'Bing Webmaster, which crawlers does Bing use'),
  preview('bingpreview', 'bing-preview', 'Bing Webmaster, which crawlers does Bing use'),
  preview('whatsapp', 'whatsapp'),
  preview('discordbot', 'discord'),
  preview('linkedinbot', 'linkedin'),
  preview('line-poker', 'line', 'LINE developers, FAQ on link previews'),
  preview('linespider', 'line'),
  preview('facebookexternalhit', 'facebook', 'Meta, Sharing, crawler'),
  preview('twitterbot', 'twitter'),
  preview('googlemessages', 'google-preview', 'Braze, bot filtering for links'),
  preview('google-pagerenderer', 'google-preview', 'Google, user-triggered fetchers'),
  preview('google web preview', 'google-preview'),
  preview('pinterestbot', 'pinterest'),
  preview('redditbot', 'reddit'),
  { ...preview('viber', 'viber'), exact: true },
  preview('vkshare', 'vk'),
  preview('snap url preview', 'snapchat'),
  preview('snapurlpreview', 'snapchat'),
  preview('mattermost-bot', 'mattermost'),
  preview('embedly', 'embedly'),
  ...['iframely', 'yahoo link preview', 'blueskypreviewbot', 'clickuplinkunfurler', 'linkpreview', 'mastodon/'].map(
    (token) => preview(token, 'other-preview'),
  ),
  // Gateways that name themselves. Most of them do not.
  scanner('barracuda', 'barracuda', 'GMass, known agents; Braze, bot filtering for links'),
  scanner('mimecast', 'mimecast'),
  scanner('proofpoint', 'proofpoint'),
  scanner('urldefense', 'proofpoint'),
  scanner('tmufe', 'trend-micro'),
  scanner('tmes/', 'trend-micro'),
  scanner('ciscosecureemail', 'cisco'),
  scanner('cloudmark', 'cloudmark'),
  scanner('zscalerbot', 'zscaler'),
  scanner('sophos', 'sophos'),
  scanner('forcepoint', 'forcepoint'),
  scanner('messagelabs', 'symantec'),
  scanner('fortiguard', 'fortinet'),
  scanner('fortimail', 'fortinet'),
  scanner('hornetsecurity', 'hornetsecurity'),
  scanner('spamexperts', 'other-scanner', 'Crawler-Detect pull request 282'),
  scanner('virustotal', 'other-scanner', CRAWLERS),
  scanner('google-safety', 'other-scanner', 'Google, special-case crawlers'),
  scanner('netcraft', 'other-scanner', CRAWLERS),
  ...['safelinks protection', 'officeaccessservice', 'spamassassin', 'bitdefender', 'vadesecure'].map((token) =>
    scanner(token, 'other-scanner', TRACKERS),
  ),
  // Programs. When they request tracking URLs, they are scripts of a filter or of a curious person, never a reader.
  ...['headlesschrome', 'phantomjs', 'puppeteer', 'playwright', 'selenium'].map((token): KnownAgent => ({
    token,
    class: 'bot',
    name: 'headless-browser',
    source: CRAWLERS,
  })),
  ...['python-requests', 'python-urllib', 'aiohttp', 'httpx', 'python/', 'scrapy', 'go-http-client'].map(library),
  ...['curl/', 'wget/', 'okhttp', 'axios/', 'node-fetch', 'undici', 'got (', 'apache-httpclient', 'java/'].map(library),
  ...['java-http', 'commons-httpclient', 'libwww-perl', 'lwp::', 'guzzle', 'php/', 'faraday', 'restsharp'].map(library),
  ...['reqwest', 'postmanruntime', 'insomnia/', 'lua-resty-http', 'ahc/', 'deno/', 'bun/', 'powershell'].map(library),
  // Mail programs and in-app browsers that isbot mistakes for robots, because their user agents do not begin like those
  // of browsers.
  ...['outlook', 'mailbird', 'mailspring', 'bluemail', 'em client', 'postbox', 'seamonkey'].map(mailProgram),
  ...['snapchat/', 'android.gm', 'yahoomobile', 'k-9 mail', 'protonmail', 'yandex.mail', 'mail.mailapp'].map(
    mailProgram,
  ),
  ...['evolution/', 'kmail', 'claws mail', 'roundcube', 'windowsmail', 'airmail', 'the bat!', 'foxmail'].map(
    mailProgram,
  ),
];
