import 'reflect-metadata';
import { pino } from 'pino';
import type { RunSettings } from '../../src/platform/config/settings.js';
import { JobProducer } from '../../src/platform/queue/job-producer.js';
import { runRoles } from '../../src/roles/run-roles.js';

/** A worker in a separate process that dies just before it adds the job of a webhook. Argument: its settings. */
const settings = JSON.parse(Buffer.from(process.argv[2]!, 'base64').toString()) as RunSettings;
const keys = settings.ENCRYPTION_KEYS!.map(({ id, secret }) => ({ id, secret: Buffer.from(secret) }));

const add = JobProducer.prototype.addAll;
JobProducer.prototype.addAll = function (name, jobs) {
  if (name === 'deliver-webhook' && jobs.length > 0) process.kill(process.pid, 'SIGKILL');
  return add.call(this, name, jobs);
};

const ENCRYPTION_KEYS = keys as unknown as RunSettings['ENCRYPTION_KEYS'];
await runRoles(
  { ...settings, ROLES: ['worker'], PORT: 0, OPERATOR_PORT: 0, ENCRYPTION_KEYS, PLANS: new Map(settings.PLANS) },
  pino({ level: 'silent' }),
);
