import { editDistance } from './edit-distance.js';
import { variables } from './setting-definitions.js';

type Environment = Readonly<Record<string, string | undefined>>;

const SETTINGS = Object.keys(variables);

/**
 * Names in a `.env` that other programs read: those of `docker-compose.yml`, which a test compares, of Compose itself,
 * of Node and its packages, of Postgres, and of the C library.
 */
const OF_OTHERS =
  /^((API|TRACKING|WORKER|FLUSHER|BOUNCES|SMTP)_(DATABASE|REDIS)_PASSWORD|(POSTGRES|REDIS)_PASSWORD|PUBLISH_ADDRESS|SUBMISSION_TLS_DIRECTORY|TRACKING_URL|(COMPOSE|DOCKER|NODE|NPM|npm|PG|POSTGRES|OTEL|UV)_?[A-Za-z0-9_]*|(HTTPS?|NO|ALL)_PROXY|TZ|LANG|LC_[A-Z]+|PATH|HOME|TMPDIR|DEBUG|SSL_CERT_(FILE|DIR))$/;

/** Of a base64 text over several lines, the last one would be a name, too. */
const LOOKS_LIKE_SETTING = /^[A-Z][A-Z0-9_]{3,49}$/;

/** A service of Kubernetes or a linked container: REDIS_PORT=tcp://10.0.0.1:6379. */
const IS_LINK = /^(tcp|udp|sctp):\/\//i;

/**
 * Of what is shorter, few letters make another word: REDIS_SSL is not REDIS_URL, and many programs read
 * names like HOST.
 */
const LONG = 5;
const MAX_DISTANCE = 2;
/** LANG is not PLANS. */
const TWO_IN = 9;

/**
 * One sentence for each variable that is probably a misspelled setting, and for each unknown name in the `.env` of this
 * project. They contain no values.
 * @param environment the environment of the process, with or without the content of the file
 * @param file the content of the `.env`
 */
export function unknownSettings(environment: Environment, file: Environment): string[] {
  const sentences: string[] = [];
  for (const [name, value] of Object.entries({ ...file, ...environment })) {
    if (SETTINGS.includes(name) || IS_LINK.test(value ?? '')) continue;
    const meant = nearestSetting(name);
    if (meant !== undefined) sentences.push(`${name} is not a setting and is ignored: did you mean ${meant}?`);
    else if (name in file && LOOKS_LIKE_SETTING.test(name) && !OF_OTHERS.test(name))
      sentences.push(`${name} in .env is not a setting and is ignored`);
  }
  return sentences;
}

/** @returns the setting that a name misspells, if there is one */
function nearestSetting(name: string): string | undefined {
  const written = name.toUpperCase().replaceAll('-', '_');
  let nearest: { setting: string; distance: number } | undefined;
  for (const setting of SETTINGS) {
    const distance = editDistance(written, setting, MAX_DISTANCE);
    if (isMisspelled(written, setting, distance) && distance < (nearest?.distance ?? Infinity))
      nearest = { setting, distance };
  }
  return nearest?.setting;
}

function isMisspelled(written: string, setting: string, distance: number): boolean {
  if (setting.length < LONG) return false;
  if (distance <= 1) return true;
  if (distance > MAX_DISTANCE || setting.length < TWO_IN) return false;
  const [parts, others] = [written.split('_'), setting.split('_')];
  const isNear = (part: string, index: number): boolean =>
    editDistance(part, others[index]!, MAX_DISTANCE) <= (others[index]!.length < LONG ? 1 : MAX_DISTANCE);
  return parts.length === others.length && parts.every(isNear);
}
