-- JSON text: the ids of the nodes that the rows run, with the nodes that they need. Null: all nodes.
alter table batches add column targets text;
