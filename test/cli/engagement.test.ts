import { runCommand } from '../support/command-line.js';

async function explain(...options: string[]): Promise<Record<string, unknown>> {
  const { code, output } = await runCommand({}, 'engagement', 'explain', ...options);
  expect(code).toBe(0);
  return JSON.parse(output) as Record<string, unknown>;
}

it('names the class of a request, its sign, and the effect of its time', async () => {
  expect(await explain('--kind', 'open', '--agent', 'Mozilla/5.0 (via ggpht.com GoogleImageProxy)')).toEqual({
    ...{ class: 'proxy', reason: 'user-agent:google-image-proxy', certainty: 'certain' },
    why: 'The user agent contains "googleimageproxy" (Google, Gmail help 145919).',
    soonAfterSending: null,
  });
  const browser = ['--agent', 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0'];
  const languages = ['--header', 'Accept-Language: en'];
  expect(await explain(...browser, ...languages, '--ip', '148.163.130.9')).toEqual({
    ...{ class: 'human', reason: 'network:proofpoint', certainty: 'probable' },
    why: 'The address is in 148.163.128.0/19 (Proofpoint Essentials allow list, 2026-11-20).',
    soonAfterSending: { class: 'scanner', reason: 'network:proofpoint', certainty: 'probable' },
  });
  expect(await explain(...browser, ...languages, '--header', 'Sec-Purpose: prefetch')).toMatchObject({
    reason: 'header:sec-purpose',
    why: 'The header sec-purpose is "prefetch".',
  });
});

it('refuses an invalid header', async () => {
  const { code, output } = await runCommand({}, 'engagement', 'explain', '--header', 'nothing');
  expect([code, output]).toEqual([1, expect.stringContaining('header')]);
});
