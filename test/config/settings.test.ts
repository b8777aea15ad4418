import { InvalidSettingsError, readPlans, readSettings } from '../../src/config/settings.js';
import { variables } from '../../src/config/variables.js';

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidSettingsError);
    return (error as InvalidSettingsError).problems;
  }
}

describe('settings', () => {
  it('has a value for everything when nothing is set', () => {
    expect(readSettings({})).toMatchObject({
      ROLES: ['api', 'tracking', 'worker', 'flusher'],
      PORT: 3000,
      DELIVERY_PROVIDER: 'smtp',
      SENDGRID_API_URL: 'https://api.sendgrid.com',
      SEND_RESPONSE_TIMEOUT_MS: 10_000,
      AMBIGUOUS_SEND: 'resend',
      AMBIGUOUS_RESEND_AFTER_MS: 180_000,
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: false,
    });
  });

  it.each(Object.entries(variables))('%s accepts the example that its error message shows', (name, variable) => {
    if (variable.example !== '') expect(variable.read(variable.example)).toBeDefined();
    expect(problemsOf({ [name]: variable.example })).toEqual([]);
  });

  it('tells every problem at once, one line per variable, with an example and without the value', () => {
    const environment = {
      PORT: 'hunter2',
      DATABASE_URL: 'mysql://root:hunter2@db',
      ROLES: 'api,hunter2',
      DELIVERY_PROVIDER: 'hunter2',
    };
    const problems = problemsOf(environment);
    expect(problems.map((line) => line.split(' ')[0]).sort()).toEqual(Object.keys(environment).sort());
    for (const line of problems) {
      expect(line).toMatch(/ must be .+, for example [A-Z_]+=\S+/);
      expect(line).not.toContain('hunter2');
      expect(line).not.toContain('\n');
    }
  });

  it('asks a role only for what it needs', () => {
    const sendgrid = { DELIVERY_PROVIDER: 'sendgrid' };
    const BASE_URL = 'https://track.example.com';
    expect(problemsOf({ ...sendgrid, BASE_URL, ROLES: 'worker' })).toEqual([
      expect.stringMatching(/^SENDGRID_API_KEY must be set/),
    ]);
    expect(problemsOf({ ...sendgrid, BASE_URL, ROLES: 'api,tracking,flusher' })).toEqual([]);
    expect(problemsOf({ ROLES: 'worker' })).toEqual([expect.stringMatching(/^BASE_URL must be set/)]);
    expect(problemsOf({ ROLES: 'tracking,flusher' })).toEqual([]);
  });

  it.each(['1.1.1.1:53', '127.0.0.1:5353, [::1]:5353', '[2606:4700:4700::1111]:53'])('DNS_SERVERS takes %s', (text) => {
    expect(readSettings({ DNS_SERVERS: text }).DNS_SERVERS).toEqual(text.split(', '));
  });

  it.each([
    'dns.google:53',
    'localhost:53',
    '1.1.1.1',
    '1.1.1:53',
    '::1:53',
    '[1.1.1.1]:53',
    '1.1.1.1:0',
    '[::1]:65536',
    ',',
  ])('DNS_SERVERS refuses %s, which no resolver could be asked at', (text) => {
    expect(problemsOf({ DNS_SERVERS: text })).toEqual([expect.stringMatching(/^DNS_SERVERS must be .*IP addresses/)]);
  });

  it('reads plans: a limit, or none', () => {
    expect([...readPlans('free=10,pro=1000,unlimited=')]).toEqual([
      ['free', 10],
      ['pro', 1000],
      ['unlimited', undefined],
    ]);
    expect(problemsOf({ PLANS: 'free:10' })).toEqual([expect.stringMatching(/^PLANS must be/)]);
  });
});
