import { pino } from 'pino';
import type { Command } from 'commander';
import { systemClock } from '../platform/clock/clock.js';
import { findKeys } from '../embedded/resolve-environment.js';
import { DnsLookups } from '../platform/dns/dns-lookups.js';
import { DkimKeyGenerator } from '../domains/dkim-key-generator.js';
import { DomainDnsCheck } from '../domains/domain-dns-check.js';
import { DomainMetrics } from '../domains/domain-metrics.js';
import { DomainVerification } from '../domains/domain-verification.js';
import { BudgetMetrics } from '../organizations/budgets/budget-metrics.js';
import { BudgetWarnings } from '../organizations/budgets/budget-warnings.js';
import { ItemBudgets } from '../organizations/budgets/item-budgets.js';
import { Domains } from '../domains/domains.js';
import { SecretBox } from '../platform/encryption/secret-box.js';
import { createMetrics } from '../platform/health/metrics.js';
import { MAX_PAGE } from '../platform/http/paging.js';
import { operatorOf } from '../organizations/audit/record-audit.js';
import { requireOrganization } from '../organizations/organizations.js';
import { createSenderAuthentication } from '../providers/create-sender-authentication.js';
import { printJson, withDatabase } from './command-context.js';

interface DomainTools {
  readonly domains: Domains;
  readonly verification: DomainVerification;
}

interface DomainOptions {
  org: string;
  domain: string;
}

export function addDomainCommands(program: Command, projectDirectory: string): void {
  const domain = program.command('domain').description('sending domains of organizations');
  const add = (name: string, about: string, argument: string | undefined, work: Work): void => {
    const command = domain.command(name).description(about).requiredOption('--org <id>', 'ID of the organization');
    if (argument) command.requiredOption('--domain <domain>', argument);
    command.action((options: DomainOptions) => printFromDomains(projectDirectory, options, work));
  };
  const id = 'ID of the domain';
  add('add', 'add a domain; prints the DNS records to publish', 'name of the domain', ({ domains }, options) =>
    domains.create(operatorOf(options.org), options.domain, () => Promise.resolve()),
  );
  add('list', "list an organization's domains, newest first", undefined, async ({ domains }, options) => {
    const page = await domains.list(options.org, { limit: MAX_PAGE });
    return page.items;
  });
  add('show', 'show a domain with the result of its last check', id, ({ domains }, options) =>
    domains.get(options.org, options.domain),
  );
  add('verify', 'check the DNS records of a domain now', id, ({ verification }, options) =>
    verification.verify(operatorOf(options.org), options.domain),
  );
  add('remove', 'delete a domain; its sender addresses are rewritten again', id, async ({ domains }, options) => {
    await domains.remove(operatorOf(options.org), options.domain);
    return { id: options.domain, removed: true };
  });
}

type Work = (tools: DomainTools, options: DomainOptions) => Promise<unknown>;

async function printFromDomains(projectDirectory: string, options: DomainOptions, work: Work): Promise<void> {
  const result = await withDatabase(projectDirectory, async (database, settings) => {
    await requireOrganization(database, options.org);
    const keys = new DkimKeyGenerator(database, new SecretBox(await findKeys(settings, projectDirectory)));
    const logger = pino({ level: 'silent' });
    const provider = createSenderAuthentication(settings);
    const check = new DomainDnsCheck(new DnsLookups(settings.DNS_SERVERS), provider, settings, logger, keys);
    const metrics = new DomainMetrics(createMetrics());
    const counts = new BudgetMetrics(createMetrics());
    const budgets = new ItemBudgets(settings, new BudgetWarnings(counts, logger), counts);
    return work(
      {
        domains: new Domains(database, keys, check, budgets, settings, systemClock),
        verification: new DomainVerification(database, check, metrics, systemClock, logger),
      },
      options,
    );
  });
  printJson(result);
}
