import { isbot } from 'isbot';
import { codeOfVerdict, NO_SIGN, type VerdictCode } from '../verdict.js';
import { KNOWN_AGENTS, type HitKind, type KnownAgent } from './agents.js';

/**
 * Complete user agents of the browsers behind most clicks, with their parts in order, so that a robot's name cannot
 * match. They need no search through the table.
 */
const USUAL_BROWSER =
  /^Mozilla\/5\.0 \((?:Windows NT [\d.]+; Win64; x64|Macintosh; Intel Mac OS X [\d_.]+|X11; (?:Ubuntu; )?Linux x86_64|Linux; Android [\d.]+; [\w -]{1,30}|(?:iPhone; CPU iPhone|iPad; CPU) OS [\d_]+ like Mac OS X)(?:; rv:[\d.]+)?\) (?:AppleWebKit\/[\d.]+ \(KHTML, like Gecko\) (?:(?:Version|Chrome|CriOS|FxiOS|EdgiOS)\/[\d.]+ )(?:Mobile(?:\/\w+)? )?Safari\/[\d.]+(?: (?:Edg|EdgA|OPR)\/[\d.]+)?|Gecko\/[\d.]+ Firefox\/[\d.]+)$/;
/** The user agent of WebKit before an application adds its name: Apple Mail, the new Outlook, and Apple's prefetch. */
const BARE_WEBKIT = /^Mozilla\/5\.0 \([^)]*\) AppleWebKit\/[\d.]+ \(KHTML, like Gecko\)$/;
/** A product name after the engine, which makes it a browser. */
const BROWSER_PRODUCT = / (?:Safari|Firefox|Chrome|Edge?)\//;

const MISSING = codeOfVerdict({ class: 'scanner', reason: 'user-agent:missing', certainty: 'probable' });
const CRAWLER = codeOfVerdict({ class: 'bot', reason: 'user-agent:crawler', certainty: 'probable' });
const WEAK_WEBKIT = codeOfVerdict({ class: 'human', reason: 'user-agent:bare-webkit', certainty: 'probable' });

interface AgentRule {
  readonly agent: KnownAgent;
  readonly code: VerdictCode;
}

const RULES: readonly AgentRule[] = KNOWN_AGENTS.map((agent) => ({ agent, code: codeOf(agent) }));
const EXACT_RULES = RULES.filter(({ agent }) => agent.exact);
const TOKEN_RULES = RULES.filter(({ agent }) => !agent.exact);
/** One pass shows whether any token can match, which is rare: most hits come from browsers. */
const ANY_TOKEN = new RegExp(TOKEN_RULES.map(({ agent: { token } }) => escaped(token)).join('|'));

/** Most hits come from few user agents, so results of searches through the table are cached. About 0.5 MB. */
const MAX_REMEMBERED = 1_000;
const MAX_LENGTH = 300;
const remembered = { open: new Map<string, VerdictCode>(), click: new Map<string, VerdictCode>() };

/** @returns NO_SIGN for a person's browser or mail program */
export function classifyAgent(userAgent: string | undefined, kind: HitKind): VerdictCode {
  if (userAgent === undefined || userAgent === '') return MISSING;
  if (USUAL_BROWSER.test(userAgent)) return NO_SIGN;
  const codes = remembered[kind];
  let code = codes.get(userAgent);
  if (code === undefined) {
    code = searchAgent(userAgent, kind);
    if (codes.size === MAX_REMEMBERED) codes.clear();
    // A part of a text keeps the whole request head in memory, and a copy does not.
    if (userAgent.length <= MAX_LENGTH) codes.set(Buffer.from(userAgent).toString(), code);
  }
  return code;
}

function searchAgent(userAgent: string, kind: HitKind): VerdictCode {
  const rule = ruleOf(userAgent, kind);
  if (rule !== undefined) return rule.code;
  if (isbot(userAgent)) return CRAWLER;
  return kind === 'open' && BARE_WEBKIT.test(userAgent) ? WEAK_WEBKIT : NO_SIGN;
}

/** @returns the entry of the table that a user agent matches */
export function knownAgentOf(userAgent: string, kind: HitKind): KnownAgent | undefined {
  return ruleOf(userAgent, kind)?.agent;
}

/** True for a user agent that names a browser, as webmail in a tab does. */
export function namesBrowser(userAgent: string): boolean {
  return BROWSER_PRODUCT.test(userAgent);
}

function ruleOf(userAgent: string, kind: HitKind): AgentRule | undefined {
  const counts = ({ agent: { only } }: AgentRule): boolean => only === undefined || only === kind;
  const text = userAgent.toLowerCase();
  const exact = EXACT_RULES.find((rule) => text === rule.agent.token && counts(rule));
  if (exact !== undefined || !ANY_TOKEN.test(text)) return exact;
  return TOKEN_RULES.find((rule) => text.includes(rule.agent.token) && counts(rule));
}

function escaped(token: string): string {
  return token.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

function codeOf(agent: KnownAgent): VerdictCode {
  if (agent.class === 'person') return NO_SIGN;
  return codeOfVerdict({ class: agent.class, reason: `user-agent:${agent.name}`, certainty: 'certain' });
}
