import { openFilesWarnings, withinOpenFiles } from '../../../src/platform/config/open-files.js';

const serving = { ROLES: ['api'] as const, MAX_CONNECTIONS: 10_000 };

it('connections leave files for the rest of the process', () => {
  const connections = [Infinity, 10_200, 4096, 100].map((limit) => withinOpenFiles(serving, limit).MAX_CONNECTIONS);
  expect(connections).toEqual([10_000, 10_000, 3896, 10]);
});

it('a limit below the connections that the settings allow gives a warning', () => {
  expect(openFilesWarnings(serving, 10_200)).toEqual([]);
  expect(openFilesWarnings(serving, 4096)).toEqual([
    'This process may have only 4096 files and connections open, so it serves 3896 connections instead of 10000: raise that limit to 10200 (ulimit -n, or LimitNOFILE of systemd)',
  ]);
});

it('a process that serves no clients needs few files', () => {
  const settings = { ROLES: ['worker'] as const, MAX_CONNECTIONS: 10_000 };
  expect(openFilesWarnings(settings, 1024)).toEqual([]);
  expect(openFilesWarnings(settings, 100)).toEqual([
    'This process may have only 100 files and connections open: raise that limit to 200 (ulimit -n, or LimitNOFILE of systemd)',
  ]);
});
