import { Check, Entity } from 'typeorm';
import { BackfillProgress } from '../platform/database/backfill-progress.entity.js';

/** Progress of counting unique opens and clicks of earlier emails. */
@Entity('people_walk')
@Check('people_walk_one_row', 'id = 1')
export class PeopleBackfill extends BackfillProgress {}
