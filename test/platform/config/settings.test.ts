import { newEncryptionKey } from '../../../src/platform/encryption/encryption-keys.js';
import { InvalidSettingsError, readSettings } from '../../../src/platform/config/settings.js';
import { variables } from '../../../src/platform/config/setting-definitions.js';

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
    // Without them, BOUNCE_SMTP_PORT, OIDC_ISSUER and OIDC_CLIENT_ID have no use.
    const needed = ['BOUNCE_DOMAIN', 'OIDC_ISSUER', 'OIDC_CLIENT_ID'] as const;
    const others = Object.fromEntries(needed.map((other) => [other, variables[other].example]));
    if (!('isPublished' in variable)) expect(problemsOf({ ...others, [name]: variable.example })).toEqual([]);
  });

  it.each(['OPERATOR_PASSWORD', 'SENDGRID_API_KEY', 'ENCRYPTION_KEYS'] as const)(
    '%s refuses the secret that the documentation shows',
    (name) => {
      const { example } = variables[name];
      expect(problemsOf({ [name]: example })).toEqual([
        expect.stringMatching(new RegExp(`^${name} is the example of the documentation.*openssl rand`)),
      ]);
      expect(problemsOf({ [name]: example }).join()).not.toContain(example);
    },
  );

  it('refuses the published encryption key under any id and among others', () => {
    const [, published] = variables.ENCRYPTION_KEYS.example.split(':');
    const own = newEncryptionKey('own');
    expect(problemsOf({ ENCRYPTION_KEYS: `${own},other:${published}` })).toEqual([
      expect.stringMatching(/^ENCRYPTION_KEYS is the example/),
    ]);
    expect(problemsOf({ ENCRYPTION_KEYS: own })).toEqual([]);
  });

  it.each(['/', '?', '#'])('reports a password with an unescaped %s, which ends the address early', (character) => {
    const url = (password: string): string => `postgres://mailbeacon:${password}@postgres:5432/mailbeacon`;
    expect(problemsOf({ DATABASE_URL: url(`pass${character}word`) })).toEqual([
      expect.stringMatching(/^DATABASE_URL must be .*%2F/),
    ]);
    expect(problemsOf({ DATABASE_URL: url(encodeURIComponent(`p@ss${character}word`)) })).toEqual([]);
  });

  describe.each(['BASE_URL', 'DASHBOARD_URL'] as const)('%s', (name) => {
    it.each(['https://t.example.com', 'http://t.example.com:8080/mail/', 'https://[2001:db8::1]/@mail'])(
      'may be %s',
      (value) => {
        expect(readSettings({ [name]: value })).toMatchObject({ [name]: value.replace(/\/$/, '') });
      },
    );

    it.each(['/?x=1', '?', '/mail#x', '#', ':80/mail?', '\\mail'])('must not end with %s', (end) => {
      expect(problemsOf({ [name]: `https://t.example.com${end}` })).toEqual([
        expect.stringMatching(
          new RegExp(`^${name} must be .*, without a query, a fragment, a user name or a password`),
        ),
      ]);
    });

    it.each(['user:hunter2@', ':hunter2@', 'hunter2@', '@', '/'])('must not start with https://%s', (start) => {
      const problems = problemsOf({ [name]: `https://${start}t.example.com` });
      expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} must be `))]);
      expect(problems.join()).not.toContain('hunter2');
    });
  });

  it('reports every problem at once, one line per variable, with an example and without the value', () => {
    const environment = {
      PORT: 'hunter2',
      DATABASE_URL: 'mysql://root:hunter2@db',
      ROLES: 'api,hunter2',
      DELIVERY_PROVIDER: 'hunter2',
      PLANS: 'hunter2',
    };
    const problems = problemsOf(environment);
    expect(problems.map((line) => line.split(' ')[0]).sort()).toEqual(Object.keys(environment).sort());
    for (const line of problems) {
      expect(line).toMatch(/ must be .+, for example [A-Z_]+=\S+/);
      expect(line).not.toContain('hunter2');
      expect(line).not.toContain('\n');
    }
  });

  it('requires of a role only the settings that it needs', () => {
    const sendgrid = { DELIVERY_PROVIDER: 'sendgrid' };
    const BASE_URL = 'https://track.example.com';
    expect(problemsOf({ ...sendgrid, BASE_URL, ROLES: 'worker' })).toEqual([
      expect.stringMatching(/^SENDGRID_API_KEY must be set/),
    ]);
    expect(problemsOf({ ...sendgrid, BASE_URL, ROLES: 'api,tracking,flusher' })).toEqual([]);
    expect(problemsOf({ ROLES: 'worker' })).toEqual([expect.stringMatching(/^BASE_URL must be set/)]);
    expect(problemsOf({ ROLES: 'tracking,flusher' })).toEqual([]);
  });

  it('includes the role bounces in the default only where BOUNCE_SMTP_PORT is set', () => {
    const bounces = { BOUNCE_DOMAIN: 'Bounces.Example.com', BOUNCE_SMTP_PORT: '25' };
    expect(readSettings({}).ROLES).not.toContain('bounces');
    expect(readSettings({ BOUNCE_DOMAIN: 'bounces.example.com' }).ROLES).not.toContain('bounces');
    expect(readSettings(bounces)).toMatchObject({
      ROLES: ['api', 'tracking', 'worker', 'flusher', 'bounces'],
      BOUNCE_DOMAIN: 'bounces.example.com',
    });
    expect(readSettings({ ...bounces, ROLES: 'tracking' }).ROLES).toEqual(['tracking']);
  });

  it('includes the role smtp in the default only where SUBMISSION_PORT is set, and needs a certificate outside', () => {
    const port = expect.stringMatching(/^SUBMISSION_PORT must be set/);
    const certificate = expect.stringMatching(/^SUBMISSION_TLS_CERTIFICATE and SUBMISSION_TLS_KEY must both be set/);
    const files = { SUBMISSION_TLS_CERTIFICATE: '/tls/cert.pem', SUBMISSION_TLS_KEY: '/tls/key.pem' };
    expect(readSettings({ SUBMISSION_PORT: '587' }).ROLES).toEqual(['api', 'tracking', 'worker', 'flusher', 'smtp']);
    expect(readSettings({}).ROLES).not.toContain('smtp');
    expect(problemsOf({ ROLES: 'smtp', BASE_URL: 'https://t.example.com' })).toEqual([port]);
    for (const HOST of ['0.0.0.0', '10.0.0.1', 'mail.example.com']) {
      expect(problemsOf({ SUBMISSION_PORT: '587', HOST })).toEqual([certificate]);
      expect(problemsOf({ SUBMISSION_PORT: '587', HOST, ...files })).toEqual([]);
    }
    expect(problemsOf({ SUBMISSION_PORT: '587', DATABASE_URL: 'postgres://db/x' })).toEqual([certificate]);
    expect(problemsOf({ SUBMISSION_PORT: '587', SUBMISSION_TLS_KEY: '/tls/key.pem' })).toEqual([certificate]);
    for (const HOST of ['127.0.0.1', '::1', 'localhost']) {
      expect(problemsOf({ SUBMISSION_PORT: '587', HOST, DATABASE_URL: 'postgres://db/x' })).toEqual([]);
    }
  });

  it('needs a domain to receive bounces, and a port to listen for them', () => {
    const domain = expect.stringMatching(/^BOUNCE_DOMAIN must be set/);
    const port = expect.stringMatching(/^BOUNCE_SMTP_PORT must be set/);
    expect(problemsOf({ BOUNCE_SMTP_PORT: '25' })).toEqual([domain]);
    expect(problemsOf({ ROLES: 'bounces' })).toEqual([port, domain]);
    expect(problemsOf({ BOUNCE_INTAKE_SECRET: 'mine' })).toEqual([domain]);
    expect(problemsOf({ BOUNCE_INTAKE_SECRET: 'mine', ROLES: 'flusher' })).toEqual([]);
    expect(problemsOf({ BOUNCE_DOMAIN: 'b.example.com', BOUNCE_INTAKE_SECRET: 'a-long-random-secret' })).toEqual([
      expect.stringMatching(/^BOUNCE_INTAKE_SECRET is the example/),
    ]);
  });

  it.each(['redis-1:6379', '10.0.0.1:26379, [::1]:26380', 'a.b-c_d.internal:1'])(
    'REDIS_SENTINELS accepts %s',
    (text) => {
      expect(readSettings({ REDIS_SENTINELS: text }).REDIS_SENTINELS).toEqual(text.split(', '));
    },
  );

  it.each(['redis-1', 'redis-1:0', 'redis-1:65536', 'redis://redis-1:6379', 'a:1,,b:2', 'a b:1', '-a:1', '::1:6379'])(
    'REDIS_CLUSTER refuses %s',
    (text) => {
      expect(problemsOf({ REDIS_CLUSTER: text })).toEqual([expect.stringMatching(/^REDIS_CLUSTER must be a comma/)]);
    },
  );

  it('refuses a database together with a cluster, which has none', () => {
    const REDIS_CLUSTER = 'redis-1:6379';
    expect(problemsOf({ REDIS_CLUSTER, REDIS_URL: 'redis://redis/3' })).toEqual([
      expect.stringMatching(/^REDIS_URL must use database 0/),
    ]);
    expect(problemsOf({ REDIS_CLUSTER, REDIS_URL: 'redis://:p@redis/0' })).toEqual([]);
  });

  it.each(['1.1.1.1:53', '127.0.0.1:5353, [::1]:5353', '[2606:4700:4700::1111]:53'])(
    'DNS_SERVERS accepts %s',
    (text) => {
      expect(readSettings({ DNS_SERVERS: text }).DNS_SERVERS).toEqual(text.split(', '));
    },
  );

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
  ])('DNS_SERVERS refuses %s, which is no address of a resolver', (text) => {
    expect(problemsOf({ DNS_SERVERS: text })).toEqual([expect.stringMatching(/^DNS_SERVERS must be .*IP addresses/)]);
  });

  it('reads plans: a limit, or none', () => {
    expect([...readSettings({ PLANS: 'free=10, pro=1000,unlimited=' }).PLANS]).toEqual([
      ['free', 10],
      ['pro', 1000],
      ['unlimited', undefined],
    ]);
    for (const PLANS of ['free:10', 'free=10,free=20', `free=${'9'.repeat(400)}`])
      expect(problemsOf({ PLANS })).toEqual([expect.stringMatching(/^PLANS must be/)]);
  });

  it('reads the sender of mail about accounts: an address', () => {
    for (const USER_MAIL_FROM of ['no-reply@mail.test', 'Mailbeacon <no-reply@mail.test>', '"A <B>" <a@b.test>'])
      expect(problemsOf({ USER_MAIL_FROM })).toEqual([]);
    for (const USER_MAIL_FROM of ['Mailbeacon', 'mail.test', 'a@', 'Mailbeacon no-reply@'])
      expect(problemsOf({ USER_MAIL_FROM })).toEqual([
        expect.stringMatching(/^USER_MAIL_FROM must be an email address/),
      ]);
  });
});
