import type { DynamicModule, Type } from '@nestjs/common';
import type { Role } from '../platform/config/settings.js';
import { InfrastructureModule, type Infrastructure } from './infrastructure.module.js';

/** The root module of each role. A process loads only the modules of its roles. */
const roleModules: Record<Role, () => Promise<Type>> = {
  api: async () => (await import('./api.module.js')).ApiModule,
  tracking: async () => (await import('./tracking/tracking.module.js')).TrackingModule,
  worker: async () => (await import('./worker/worker.module.js')).WorkerModule,
  flusher: async () => (await import('./flusher/flusher.module.js')).FlusherModule,
  smtp: async () => (await import('../emails/submission/submission.module.js')).SubmissionModule,
  bounces: async () => (await import('../events/feedback/smtp/bounces.module.js')).BouncesModule,
};

/** Modules that exist once per process, regardless of how many roles use them. */
const sharedModules: readonly { roles: readonly Role[]; load: () => Promise<Type> }[] = [
  {
    roles: ['api', 'worker'],
    load: async () => (await import('../platform/encryption/encryption.module.js')).EncryptionModule,
  },
  {
    roles: ['api', 'smtp'],
    load: async () => (await import('../organizations/rate-limits.module.js')).RateLimitsModule,
  },
  {
    roles: ['api', 'worker', 'flusher', 'smtp'],
    load: async () => (await import('../platform/queue/queue.module.js')).QueueModule,
  },
  {
    roles: ['api', 'worker', 'flusher', 'smtp'],
    load: async () => (await import('../events/live/live.module.js')).LiveModule,
  },
  { roles: ['api'], load: async () => (await import('../events/store/event-store.module.js')).EventStoreModule },
  {
    roles: ['api', 'worker', 'smtp'],
    load: async () => (await import('../rendering/rendering.module.js')).RenderingModule,
  },
  {
    roles: ['api', 'tracking', 'worker', 'bounces'],
    load: async () => (await import('../events/stream/stream.module.js')).StreamModule,
  },
  {
    roles: ['api', 'tracking', 'worker', 'bounces', 'smtp'],
    load: async () => (await import('../links/signing-keys.module.js')).SigningKeysModule,
  },
];

/** The module whose routes the API docs describe. */
export const loadApiModule = roleModules.api;

/** The modules of the roles in this process. */
export async function rootModule(infrastructure: Infrastructure): Promise<DynamicModule> {
  const { ROLES } = infrastructure.settings;
  // Load sequentially: importing is CPU work, so concurrency gains nothing, and modules that roles share are linked
  // once.
  const modules: Type[] = [];
  for (const { roles, load } of sharedModules)
    if (roles.some((role) => ROLES.includes(role))) modules.push(await load());
  for (const role of ROLES) modules.push(await roleModules[role]());
  return { module: RootModule, imports: [InfrastructureModule.on(infrastructure), ...modules] };
}

class RootModule {}
