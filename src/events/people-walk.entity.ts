import { Check, Entity } from 'typeorm';
import { WalkProgress } from '../platform/database/walk-progress.entity.js';

/** Progress of counting unique opens and clicks of earlier emails. */
@Entity('people_walk')
@Check('people_walk_one_row', 'id = 1')
export class PeopleWalk extends WalkProgress {}
