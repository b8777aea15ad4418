import { patchedSources } from './patched-build.js';
import { PLANTED_FAULTS } from './planted-faults.js';

describe('planted faults', () => {
  it.each(PLANTED_FAULTS.map(({ name, patches }) => [name, patches] as const))(
    'fit the sources: %s',
    async (_, patches) => {
      const sources = await patchedSources(patches);
      expect(sources.size).toBeGreaterThan(0);
    },
  );

  it('are an error when they do not', async () => {
    const stale = { file: 'roles/main.ts', search: 'what was here before', replace: '' };
    await expect(patchedSources([stale])).rejects.toThrow('src/roles/main.ts has 0 places');
  });
});
