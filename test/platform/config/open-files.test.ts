import { openFilesWarnings } from '../../../src/platform/config/open-files.js';

it('a limit below the connections that the settings allow gives a warning with both remedies', () => {
  const settings = { ROLES: ['api'] as const, MAX_CONNECTIONS: 10_000 };
  expect(openFilesWarnings(settings, 10_200)).toEqual([]);
  expect(openFilesWarnings(settings, 4096)).toEqual([
    'This process may have only 4096 files and connections open: raise it to 10200 (ulimit -n, or LimitNOFILE of systemd), or set MAX_CONNECTIONS to 3896',
  ]);
  expect(openFilesWarnings(settings, 100)).toEqual([
    'This process may have only 100 files and connections open: raise it to 10200 (ulimit -n, or LimitNOFILE of systemd)',
  ]);
});

it('a process that serves no clients needs few files', () => {
  const settings = { ROLES: ['worker'] as const, MAX_CONNECTIONS: 10_000 };
  expect(openFilesWarnings(settings, 1024)).toEqual([]);
  expect(openFilesWarnings(settings, 100)).toHaveLength(1);
});
