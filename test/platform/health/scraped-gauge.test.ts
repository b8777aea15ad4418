import { Registry } from 'prom-client';
import { settledWithin } from '../../support/eventually.js';
import { registerScrapedGauge, type Sample } from '../../../src/platform/health/scraped-gauge.js';

function reading(read: () => Promise<readonly Sample<'class'>[]>, labelled = true) {
  const registry = new Registry();
  registerScrapedGauge(registry, { name: 'm', help: 'h', ...(labelled && { labelNames: ['class'] as const }) }, read);
  return {
    series: async () =>
      (await registry.metrics())
        .split('\n')
        .filter((line) => line.startsWith('m'))
        .join('\n'),
  };
}

describe('registerScrapedGauge', () => {
  it('exports the value that it read', async () => {
    const { series } = reading(async () => [{ labels: { class: 'pro' }, value: 3 }]);
    expect(await series()).toBe('m{class="pro"} 3');
  });

  it('reads once for scrapes in quick succession', async () => {
    let reads = 0;
    const { series } = reading(async () => [{ labels: { class: 'pro' }, value: ++reads }]);
    const seen = await Promise.all([series(), series(), series()]);
    expect([...seen, await series()]).toEqual(Array(4).fill('m{class="pro"} 1'));
  });

  it('has no value when the reading fails', async () => {
    const failing = () => Promise.reject(new Error('unreachable'));
    expect(await reading(failing).series()).toBe('');
    expect(await reading(failing, false).series()).toBe('m Nan');
  });

  it('never delays a scrape, and starts only one read while it hangs', async () => {
    let reads = 0;
    let respond!: (samples: readonly Sample<'class'>[]) => void;
    const { series } = reading(() => {
      reads++;
      return new Promise((resolve) => (respond = resolve));
    });
    // The read hangs until the end of this test.
    for (let scrape = 0; scrape < 2; scrape++) expect(await settledWithin(20_000, series())).toBe('');
    expect(reads).toBe(1);
    respond([{ labels: { class: 'pro' }, value: 7 }]);
    expect(await series()).toBe('m{class="pro"} 7');
  });
});
