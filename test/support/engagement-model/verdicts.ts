/*
 * Who caused a hit, as docs/engagement.md describes it: by the headers alone, and by the other hits of the same email.
 * Written to be read, not to be fast: each rule compares every hit with every other one.
 */

export interface ModelVerdict {
  readonly class: 'human' | 'proxy' | 'prefetch' | 'preview' | 'scanner' | 'bot';
  readonly reason: string;
  readonly certainty: 'certain' | 'probable';
  /** What a weak sign becomes when a rule of time or order confirms it. */
  readonly points?: 'prefetch' | 'scanner';
}

export interface ModelHit {
  /** In milliseconds. */
  readonly at: number;
  /** Of the clicked link; null for an open. */
  readonly position: number | null;
  /** By its headers. */
  readonly verdict: ModelVerdict;
  /** The verdict that it had when its event was deleted by age: no rule sees it any more. */
  frozen?: ModelVerdict;
}

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const english = { accept: '*/*', 'accept-language': 'en' };

type Headers = Readonly<Record<string, string>>;

interface Agent {
  readonly headers: Headers;
  readonly open: ModelVerdict;
  readonly click: ModelVerdict;
}

const HUMAN: ModelVerdict = { class: 'human', reason: 'none', certainty: 'probable' };

function agent(headers: Headers, kind: ModelVerdict['class'], reason: string, isSure = true): Agent {
  const verdict = { class: kind, reason, certainty: isSure ? 'certain' : 'probable' } as const;
  return { headers, open: verdict, click: verdict };
}

const weak = (reason: string, points: 'prefetch' | 'scanner'): ModelVerdict => ({ ...HUMAN, reason, points });

/** Programs that request pixels and links. */
export const AGENTS = {
  browser: { headers: { 'user-agent': BROWSER, ...english }, open: HUMAN, click: HUMAN },
  noLanguage: {
    headers: { 'user-agent': BROWSER, accept: '*/*' },
    open: HUMAN,
    click: weak('header:no-accept-language', 'scanner'),
  },
  webKit: {
    headers: { 'user-agent': 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko)', ...english },
    open: weak('user-agent:bare-webkit', 'prefetch'),
    click: HUMAN,
  },
  gmail: {
    headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 5.1) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)' },
    open: { class: 'proxy', reason: 'user-agent:google-image-proxy', certainty: 'certain' },
    // It fetches images only.
    click: { class: 'bot', reason: 'user-agent:crawler', certainty: 'probable' },
  },
  ahead: agent({ 'user-agent': BROWSER, ...english, 'sec-purpose': 'prefetch' }, 'prefetch', 'header:sec-purpose'),
  slack: agent({ 'user-agent': 'Slackbot-LinkExpanding 1.0' }, 'preview', 'user-agent:slack'),
  gateway: agent({ 'user-agent': 'Barracuda Sentinel (EE)' }, 'scanner', 'user-agent:barracuda'),
  unnamed: agent({ ...english }, 'scanner', 'user-agent:missing', false),
  script: agent({ 'user-agent': 'python-requests/2.32.3' }, 'bot', 'user-agent:http-library'),
  crawler: agent({ 'user-agent': 'ExampleBot/1.0 (+https://example.com/bot)' }, 'bot', 'user-agent:crawler', false),
} satisfies Record<string, Agent>;

export type AgentName = keyof typeof AGENTS;

interface HandedOver {
  /** Null for an email that another provider sends. */
  readonly sentAt: number | null;
  readonly linkCount: number;
}

type Rule = (hit: ModelHit, hits: readonly ModelHit[], email: HandedOver) => boolean;

/** The verdict of each hit of an email, whatever the order in which they became known. */
export function finalVerdicts(hits: readonly ModelHit[], email: HandedOver): ModelVerdict[] {
  const stored = hits.filter(({ frozen }) => !frozen);
  const uncertain = stored.filter(({ verdict }) => verdict.certainty === 'probable');
  const scanning = stored.filter((hit) => isScanner(hit) && clicksOthers(hit, uncertain));
  return hits.map((hit) => {
    const { verdict, frozen } = hit;
    if (frozen || verdict.certainty === 'certain') return frozen ?? verdict;
    const reason = RULES.find(([, rule]) => rule(hit, rule === aroundScanner ? scanning : uncertain, email))?.[0];
    if (reason === undefined) return verdict;
    if (verdict.points) return { ...verdict, class: verdict.points };
    return verdict.class === 'human' ? { class: 'scanner', reason, certainty: 'probable' } : verdict;
  });
}

const within = (one: ModelHit, other: ModelHit, ms: number): boolean => Math.abs(one.at - other.at) <= ms;
const isScanner = ({ verdict }: ModelHit): boolean => verdict.class === 'scanner' && verdict.certainty === 'certain';
const linksOf = (hits: readonly ModelHit[]) => new Set(hits.flatMap(({ position }) => position ?? []));

/** A gateway that checks one link when a person clicks it clicks no other links. */
function clicksOthers(scanner: ModelHit, uncertain: readonly ModelHit[]): boolean {
  const near = uncertain.filter((hit) => within(hit, scanner, 10_000) && hit.position !== scanner.position);
  return linksOf(near).size >= 2;
}

const instant: Rule = ({ at, verdict }, _, { sentAt }) => {
  if (sentAt === null || at < sentAt - 60_000) return false;
  return at - sentAt < (verdict.points ? 60_000 : 10_000);
};

const aroundScanner: Rule = (hit, scanning) =>
  scanning.some((one) => within(hit, one, 10_000) && (hit.position === null || hit.position !== one.position));

const burst: Rule = (hit, hits) => {
  if (hit.position === null) return false;
  const starts = hits.filter(({ at }) => at <= hit.at && hit.at - at <= 2_000);
  return starts.some(({ at }) => linksOf(hits.filter((one) => one.at >= at && one.at <= at + 2_000)).size >= 3);
};

/** The hit belongs to a run that clicks each link in the order of the document. */
const allLinks: Rule = (hit, hits, { linkCount }) => {
  const { position } = hit;
  if (position === null || linkCount < 3) return false;
  const at = (wanted: number) => hits.filter((one) => one.position === wanted);
  const start = (link: ModelHit): number =>
    link.position === 0
      ? link.at
      : Math.max(
          ...at(link.position! - 1)
            .filter((one) => one.at <= link.at)
            .map(start),
        );
  const end = (link: ModelHit): number =>
    link.position === linkCount - 1
      ? link.at
      : Math.min(
          ...at(link.position! + 1)
            .filter((one) => one.at >= link.at)
            .map(end),
        );
  return end(hit) - start(hit) <= 10_000;
};

/** Where several rules match, the first of these is the reason. */
const RULES: readonly (readonly [string, Rule])[] = [
  ['timing:instant', instant],
  ['timing:around-scanner', aroundScanner],
  ['order:all-links', allLinks],
  ['timing:burst', burst],
];
