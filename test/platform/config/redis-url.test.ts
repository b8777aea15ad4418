import { InvalidSettingsError, readSettings } from '../../../src/platform/config/settings.js';

describe('REDIS_URL', () => {
  it.each(['redis://:p%zz@redis', 'redis://redis/queue', 'redis://redis/-1', 'redis://redis/1/2'])(
    'must have a readable password and the number of a database: %s',
    (REDIS_URL) => {
      const read = () => readSettings({ REDIS_URL });
      expect(read).toThrow(InvalidSettingsError);
      expect(read).toThrow(/^REDIS_URL must be .*number of a database/);
    },
  );

  it.each(['redis://redis', 'redis://redis/', 'rediss://u:p%2Fq@redis:1/15', 'redis://[::1]/0?family=6'])(
    'may be %s',
    (REDIS_URL) => {
      expect(readSettings({ REDIS_URL }).REDIS_URL).toBe(REDIS_URL.replace(/\/$/, ''));
    },
  );
});
