import { execFile, execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const script = join(import.meta.dirname, 'paths.lua');
const postScript = join(import.meta.dirname, 'post.lua');
const USER_AGENT = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)';

export const generator = hasWrk() ? 'wrk' : 'autocannon';

/**
 * Requests paths in turn over keep-alive connections, each as soon as it has its previous response.
 * @param {{ address: string, paths: string[], seconds: number, connections: number, directory: string }} load
 * @returns requests as units, seconds, and p50 and p99 in milliseconds
 * @throws if any response was an error
 */
export async function requestPaths(load) {
  const outcome = await (generator === 'wrk' ? byWrk(load) : byAutocannon(load));
  if (outcome.errors > 0) throw new Error(`${outcome.errors} of ${outcome.units} requests to ${load.address} failed`);
  return outcome;
}

/**
 * Posts one JSON body repeatedly, with {{turn}} replaced by the numbers below 500 in turn.
 * @param {{ address: string, body: string, apiKey?: string, authorization?: string, seconds: number,
 *   connections: number, directory: string }} load `authorization` is the header of that name
 * @throws if any response was an error
 */
export async function post(load) {
  const outcome = await (generator === 'wrk' ? postByWrk(load) : postByAutocannon(load));
  if (outcome.errors > 0) throw new Error(`${outcome.errors} of ${outcome.units} posts to ${load.address} failed`);
  return outcome;
}

async function postByWrk({ address, body, apiKey = 'none', authorization, seconds, connections, directory }) {
  const file = join(directory, 'body.json');
  await writeFile(file, body);
  const parameters = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '20s', '-s', postScript];
  const { stdout } = await promisify(execFile)('wrk', [
    ...parameters,
    address,
    '--',
    file,
    apiKey,
    ...(authorization ? [authorization] : []),
  ]);
  return JSON.parse(stdout.slice(stdout.lastIndexOf('{')));
}

async function postByAutocannon({ address, body, apiKey = 'none', authorization, seconds, connections }) {
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey, ...(authorization && { authorization }) };
  let turn = 0;
  const setupRequest = (request) => ({
    ...request,
    body: body.replaceAll('{{turn}}', String((turn = (turn + 1) % 500))),
  });
  const requests = [{ method: 'POST', headers, setupRequest }];
  return fromAutocannon({ url: address, connections, duration: seconds, requests });
}

async function byWrk({ address, paths, seconds, connections, directory }) {
  const file = join(directory, 'paths.txt');
  await writeFile(file, paths.join('\n'));
  const parameters = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '20s',
    '-H',
    `User-Agent: ${USER_AGENT}`,
    '-s',
    script,
  ];
  const { stdout } = await promisify(execFile)('wrk', [...parameters, address, '--', file]);
  return JSON.parse(stdout.slice(stdout.lastIndexOf('{')));
}

async function byAutocannon({ address, paths, seconds, connections }) {
  const headers = { 'user-agent': USER_AGENT };
  // autocannon would build a list of requests for each connection, which delays the first responses by seconds.
  let turn = Math.floor(Math.random() * paths.length);
  const setupRequest = (request) => ({ ...request, path: paths[(turn = (turn + 1) % paths.length)] });
  const requests = [{ setupRequest }];
  return fromAutocannon({ url: address, connections, duration: seconds, headers, requests });
}

async function fromAutocannon(options) {
  const { default: autocannon } = await import('autocannon');
  const result = await autocannon(options);
  const { latency, errors, timeouts } = result;
  return {
    units: result.requests.total,
    seconds: result.duration,
    p50: latency.p50,
    p99: latency.p99,
    errors: errors + timeouts + result['4xx'] + result['5xx'],
  };
}

function hasWrk() {
  try {
    execFileSync('wrk', ['-v'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    return error.code !== 'ENOENT'; // its version ends with 1
  }
}
