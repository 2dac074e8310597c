import { describe, expect, it } from 'vitest';
import { encodeCursor } from '../cursor.ts';
import { listStatement } from '../list-query.ts';
import type { ListQuery } from '../store.ts';
import { sqliteStore } from './index.ts';
import { openDatabaseNow } from './connect.ts';
import { SQLITE } from './dialect.ts';

const plan = (query: Partial<ListQuery>): string[] => {
  const { connection } = openDatabaseNow(':memory:');
  const { sql, values } = listStatement(SQLITE, { table: 'interrupts', limit: 49, ...query });
  const steps = connection.all(`EXPLAIN QUERY PLAN ${sql}`, values).map((columns) => String(columns[3]));
  connection.close();
  return steps;
};

describe('a list', () => {
  it('walks an index in its order', () => {
    const cursor = encodeCursor('created', { ordinal: 7 });
    const dueCursor = encodeCursor('due', { ordinal: 7, dueAt: 5 });
    expect({
      scope: plan({ scope: 's' }),
      status: plan({ scope: 's', status: ['pending'], cursor }),
      due: plan({ scope: 's', status: ['pending'], order: 'due', dueBefore: 9 }),
      dueAfter: plan({ scope: 's', status: ['pending'], order: 'due', cursor: dueCursor }),
      dueOfAll: plan({ status: ['pending'], order: 'due', dueBefore: 9 }),
      thread: plan({ scope: 's', thread: 't' }),
      threadStatus: plan({ scope: 's', thread: 't', status: ['pending'] }),
      threadDue: plan({ scope: 's', thread: 't', status: ['pending'], order: 'due', cursor: dueCursor }),
      answered: plan({ scope: 's', order: 'answered' }),
      all: plan({}),
    }).toMatchInlineSnapshot(`
      {
        "all": [
          "SCAN interrupts",
        ],
        "answered": [
          "SEARCH interrupts USING INDEX interrupts_answered (scope=? AND answered_at>?)",
        ],
        "due": [
          "SEARCH interrupts USING INDEX interrupts_scope_due (scope=? AND state=? AND due_at>? AND due_at<?)",
        ],
        "dueAfter": [
          "COMPOUND QUERY",
          "LEFT-MOST SUBQUERY",
          "CO-ROUTINE branch",
          "SEARCH interrupts USING INDEX interrupts_scope_due (scope=? AND state=? AND due_at>?)",
          "SCAN branch",
          "UNION ALL",
          "CO-ROUTINE branch",
          "SEARCH interrupts USING INDEX interrupts_open (state=? AND scope=?)",
          "SCAN branch",
        ],
        "dueOfAll": [
          "SEARCH interrupts USING INDEX interrupts_due (state=? AND due_at>? AND due_at<?)",
        ],
        "scope": [
          "SEARCH interrupts USING INDEX interrupts_scope (scope=?)",
        ],
        "status": [
          "SEARCH interrupts USING INDEX interrupts_open (state=? AND scope=? AND ordinal>?)",
        ],
        "thread": [
          "SEARCH interrupts USING INDEX interrupts_key (scope=? AND thread=?)",
          "USE TEMP B-TREE FOR ORDER BY",
        ],
        "threadDue": [
          "COMPOUND QUERY",
          "LEFT-MOST SUBQUERY",
          "CO-ROUTINE branch",
          "SEARCH interrupts USING INDEX interrupts_key (scope=? AND thread=?)",
          "USE TEMP B-TREE FOR ORDER BY",
          "SCAN branch",
          "UNION ALL",
          "CO-ROUTINE branch",
          "SEARCH interrupts USING INDEX interrupts_key (scope=? AND thread=?)",
          "USE TEMP B-TREE FOR ORDER BY",
          "SCAN branch",
        ],
        "threadStatus": [
          "SEARCH interrupts USING INDEX interrupts_key (scope=? AND thread=?)",
          "USE TEMP B-TREE FOR ORDER BY",
        ],
      }
    `);
  });

  it('a list of threads walks an index, to show, continue and prune them', () => {
    const threads = (query: Partial<ListQuery>) => plan({ table: 'threads', ...query });
    expect({
      shown: threads({ scope: 's' }),
      active: threads({ status: ['active'], dueBefore: 9, order: 'due' }),
      ready: threads({ status: ['ready'], dueBefore: 9, order: 'due' }),
      idle: threads({ status: ['idle'], dueBefore: 9, order: 'due' }),
      failed: threads({ status: ['failed'] }),
      pruning: threads({ status: ['pruning'] }),
      grants: plan({ table: 'grants', scope: 's' }),
    }).toMatchInlineSnapshot(`
      {
        "active": [
          "SCAN threads USING INDEX threads_active",
          "USE TEMP B-TREE FOR ORDER BY",
        ],
        "failed": [
          "SEARCH threads USING INDEX threads_odd (state=?)",
        ],
        "grants": [
          "SEARCH grants USING INDEX grants_scope (scope=?)",
        ],
        "idle": [
          "SEARCH threads USING INDEX threads_due (state=? AND due_at>? AND due_at<?)",
        ],
        "pruning": [
          "SEARCH threads USING INDEX threads_odd (state=?)",
        ],
        "ready": [
          "SEARCH threads USING INDEX threads_due (state=? AND due_at>? AND due_at<?)",
        ],
        "shown": [
          "SEARCH threads USING INDEX threads_scope (scope=?)",
        ],
      }
    `);
  });

  it('merges several states, each along an index', () => {
    expect(plan({ scope: 's', status: ['pending', 'answered'] })).toMatchInlineSnapshot(`
      [
        "COMPOUND QUERY",
        "LEFT-MOST SUBQUERY",
        "CO-ROUTINE branch",
        "SEARCH interrupts USING INDEX interrupts_open (state=? AND scope=?)",
        "SCAN branch",
        "UNION ALL",
        "CO-ROUTINE branch",
        "SEARCH interrupts USING INDEX interrupts_open (state=? AND scope=?)",
        "SCAN branch",
      ]
    `);
    expect(plan({ scope: 's', status: ['pending', 'answered'], order: 'due' })).toMatchInlineSnapshot(`
      [
        "COMPOUND QUERY",
        "LEFT-MOST SUBQUERY",
        "CO-ROUTINE branch",
        "SEARCH interrupts USING INDEX interrupts_scope_due (scope=? AND state=? AND due_at>?)",
        "SCAN branch",
        "UNION ALL",
        "CO-ROUTINE branch",
        "SEARCH interrupts USING INDEX interrupts_open (state=? AND scope=?)",
        "SCAN branch",
        "UNION ALL",
        "CO-ROUTINE branch",
        "SEARCH interrupts USING INDEX interrupts_scope_due (scope=? AND state=? AND due_at>?)",
        "SCAN branch",
        "UNION ALL",
        "CO-ROUTINE branch",
        "SEARCH interrupts USING INDEX interrupts_open (state=? AND scope=?)",
        "SCAN branch",
      ]
    `);
  });

  it('accepts any number of states, also repeated ones', async () => {
    const store = sqliteStore(':memory:');
    const states = Array.from({ length: 20 }, (_, number) => `state-${number}`);
    for (const status of states) {
      const key = { scope: 's', thread: 't', id: status };
      await store.commit({ puts: [{ table: 'runs', key, doc: {}, index: { status } }] });
    }
    const found = async (status: string[]) =>
      (await store.list({ table: 'runs', scope: 's', status })).rows.map(({ key }) => key.id);
    expect(await found([...states, ...states])).toEqual(states);
    expect(await found(['state-3', 'state-1', 'state-3'])).toEqual(['state-1', 'state-3']);
    await store.close();
  });
});
