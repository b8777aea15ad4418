import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TestService } from '../support/service.js';

/* A reader pastes these commands into a shell. Each is accepted, as the page says. */

const run = promisify(execFile);

/** The statuses of the requests of each section, in order. */
const EXPECTED: Record<string, readonly number[]> = {
  // ID stands for the ID of the domain.
  'Sending domains': [201, 404],
  'Tracking domains': [201, 404],
  'Providers of your own': [201],
  Authentication: [201],
  Suppressions: [200],
  Unsubscribing: [200],
  'Figures over time': [200],
};
/** Another test runs the first two. The stream has no end, and a webhook needs a receiver on another host. */
const ELSEWHERE = ['Quick start', 'Broadcasts', 'Changes as they happen', 'Webhooks'];
/** Prints the status of a request instead of its response. */
const CURL = `curl() { command curl --noproxy '*' -o /dev/null -w '%{http_code}\\n' "$@"; }\n`;

let service: TestService;
let directory: string;
let sections: Map<string, string>;

beforeAll(async () => {
  service = await TestService.start({ environment: { TRACKING_DOMAIN_TARGET: 'track.example.net' } });
  directory = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
  await writeFile(join(directory, 'suppressions.csv'), 'address,reason\nreader@example.org,bounce\n');
  sections = sectionsOf(await readFile('docs/api.md', 'utf8'));
});
afterAll(async () => {
  await service?.stop();
  await rm(directory, { recursive: true, force: true });
});

it.each(Object.entries(EXPECTED))('the requests of docs/api.md, %s, get %j', async (section, statuses) => {
  const [, code] = /^```sh\n(.*?)^```$/ms.exec(sections.get(section) ?? '') ?? [];
  const { apiKey } = await service.organization();
  await createCampaign(apiKey);
  const env = { ...process.env, MAILBEACON_URL: service.address, MAILBEACON_KEY: apiKey };
  const { stdout } = await run('bash', ['-euc', CURL + code!], { cwd: directory, env, timeout: 60_000 });
  expect(stdout.trim().split('\n').map(Number)).toEqual(statuses);
});

it('every example with curl is run by a test', () => {
  const tested = [...Object.keys(EXPECTED), ...ELSEWHERE];
  const named = [...sections].filter(([, text]) => text.includes('\ncurl ')).map(([name]) => name);
  expect(named.filter((name) => !tested.includes(name))).toEqual([]);
});

/** The quick start creates it. */
async function createCampaign(apiKey: string): Promise<void> {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'Welcome' });
  expect((await fetch(`${service.address}/api/campaigns`, { method: 'POST', headers, body })).status).toBe(201);
}

function sectionsOf(page: string): Map<string, string> {
  return new Map(
    page
      .split('\n## ')
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf('\n')), section]),
  );
}
