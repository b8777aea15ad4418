import { InitialSchema1790000000000 } from './migrations/1790000000000-initial-schema.js';

/** Every migration this build knows, oldest first. */
export const migrations = [InitialSchema1790000000000];
