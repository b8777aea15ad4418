import type { operations } from './api-types.js';

/** Filters and page of a list: the query parameters of its route. */
export type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;
