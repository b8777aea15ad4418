import { readSettings } from '../../src/platform/config/settings.js';
import { createProvider } from '../../src/providers/registry.js';

describe('createProvider', () => {
  const clock = { now: () => 0 };

  it.each([
    ['smtp', {}],
    ['sendgrid', { SENDGRID_API_KEY: 'SG.key' }],
  ])('creates the provider that DELIVERY_PROVIDER=%s names', async (name, environment) => {
    const settings = readSettings({ DELIVERY_PROVIDER: name, ...environment });
    const provider = createProvider(settings, 'smtp://127.0.0.1:1', clock);
    expect(provider.name).toBe(name);
    await provider.close();
  });
});
