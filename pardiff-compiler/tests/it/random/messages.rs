//! Random programs with messages between ranks: rings, pairs, collective operations, and requests that ranks wait for
//! in orders of their own. They end on any number of ranks from two on, also where a send waits for its receive.

use super::draw::Draw;

/// Arrays of four numbers.
const READ: [&str; 4] = ["a", "b", "x", "y"];
const WRITTEN: [&str; 3] = ["a", "b", "y"];

/// A function of that name, of a communicator, four numbers that are read and four that are written.
pub fn program(name: &str, seed: u64) -> String {
    Generator(Draw::new(seed ^ 0x4d50_4900)).program(name)
}

struct Generator(Draw);

impl Generator {
    fn read(&mut self) -> &'static str {
        self.0.pick::<&'static str>(&READ)
    }

    fn written(&mut self) -> &'static str {
        self.0.pick::<&'static str>(&WRITTEN)
    }

    fn program(&mut self, name: &str) -> String {
        let body = self.block(5, 2);
        format!(
            "fn {name}(world: &impl Communicator, x: &[f64], y: &mut [f64]) {{
    let (rank, size) = (world.rank(), world.size());
    let (next, before) = (world.process_at_rank((rank + 1) % size), world.process_at_rank((rank + size - 1) % size));
    let (mut a, mut b) = ([1.0, 2.0, 0.0, 3.0], [0.0; 4]);
    for i in 0..4 {{ b[i] = x[i] * x[3 - i]; }}
{body}
    for i in 0..4 {{ y[i] += a[i] * b[i]; }}
}}"
        )
    }

    fn block(&mut self, count: usize, depth: usize) -> String {
        (0..count).map(|_| self.statement(depth)).collect::<Vec<_>>().join("\n")
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.0.below(if depth > 0 { 12 } else { 10 }) {
            0 | 1 => self.arithmetic(),
            2 => self.ring(),
            3 => self.pairs(),
            4 => self.of_all(),
            5 => self.through_a_root(),
            6 | 7 => self.requests(),
            8 => self.requests_in_loops(),
            9 => {
                let (then, els) = (self.arithmetic(), self.arithmetic());
                format!("if rank % 2 == 0 {{ {then} }} else {{ {els} }}")
            }
            10 => format!("for _ in 0..2 {{ {} }}", self.block(2, depth - 1)),
            _ => format!("{{ {} }}", self.block(2, depth - 1)),
        }
    }

    fn arithmetic(&mut self) -> String {
        let (t, s, u, v) = (self.written(), self.read(), self.read(), self.read());
        let k = self.0.below(4);
        match self.0.below(3) {
            0 => format!("for i in 0..4 {{ {t}[i] = {s}[i] * {u}[3 - i] + {v}[i]; }}"),
            1 => format!("{t}[{k}] += {s}[{}] * {u}[{k}];", (k + 1) % 4),
            _ => format!("for i in 1..4 {{ {t}[i] = {s}[i - 1] - f64::from(rank + 1) * {u}[i]; }}"),
        }
    }

    /// What arrived becomes part of an array.
    fn used(&mut self, got: &str) -> String {
        let (t, s) = (self.written(), self.read());
        match self.0.below(3) {
            0 => format!("for i in 0..2 {{ {t}[i + 1] += {got}[i] * {s}[i]; }}"),
            1 => format!("{t}[..2].copy_from_slice(&{got}[..]);"),
            _ => format!("{t}[3] = {got}[1] * {got}[0];"),
        }
    }

    fn ring(&mut self) -> String {
        let (s, at, used) = (self.read(), self.0.below(3), self.used("got"));
        format!(
            "{{ let mut got = [0.0; 2];
    point_to_point::send_receive_into(&{s}[{at}..{}], &next, &mut got[..], &before);
    {used} }}",
            at + 2
        )
    }

    fn pairs(&mut self) -> String {
        let (s, t, u, v) = (self.read(), self.written(), self.read(), self.written());
        format!(
            "if rank % 2 == 0 {{
    if rank + 1 < size {{ next.send(&{s}[..3]); next.receive_into_with_tag(&mut {t}[2..], 5); }}
}} else {{
    before.receive_into(&mut {v}[1..]); before.send_with_tag(&{u}[1..3], 5);
}}"
        )
    }

    fn of_all(&mut self) -> String {
        let (s, used) = (self.read(), self.used("got"));
        let operation = match self.0.below(5) {
            0 => format!("world.all_reduce_into(&{s}[1..3], &mut got[..], SystemOperation::sum());"),
            1 => {
                let root = self.0.below(2);
                format!(
                    "got.copy_from_slice(&{s}[2..]); world.process_at_rank({root}).broadcast_into(&mut got[..]);"
                )
            }
            2 => format!(
                "let mut all = vec![0.0; 2 * size as usize];
for k in 0..all.len() {{ all[k] = {s}[k % 4] * f64::from(rank + 1); }}
let mut crossed = vec![0.0; all.len()];
world.all_to_all_into(&all[..], &mut crossed[..]);
world.scan_into(&crossed[..2], &mut got[..], SystemOperation::sum());"
            ),
            3 => format!(
                "let counts: Vec<i32> = (0..size).map(|of| 1 + of % 2).collect();
let mut displs = vec![0; counts.len()];
for k in 1..counts.len() {{ displs[k] = displs[k - 1] + counts[k - 1]; }}
let mut all = vec![0.0; 2 * counts.len()];
let own = counts[rank as usize] as usize;
world.all_gather_varcount_into(&{s}[..own], &mut PartitionMut::new(&mut all[..], counts, displs));
world.exclusive_scan_into(&all[..1], &mut got[1..], SystemOperation::sum());"
            ),
            _ => format!(
                "let mut all = vec![0.0; 2 * size as usize];
world.all_gather_into(&{s}[..2], &mut all[..]);
for k in 0..all.len() {{ all[k] = all[k] * {s}[k % 4]; }}
world.reduce_scatter_block_into(&all[..], &mut got[..], SystemOperation::sum());"
            ),
        };
        format!("{{ let mut got = [0.0; 2]; {operation} {used} }}")
    }

    fn through_a_root(&mut self) -> String {
        let (s, used, root) = (self.read(), self.used("got"), self.0.below(2));
        format!(
            "{{
    let mut got = [0.0; 2];
    let root = world.process_at_rank({root});
    if rank == {root} {{
        let mut all = vec![0.0; 2 * size as usize];
        root.gather_into_root(&{s}[1..3], &mut all[..]);
        for k in 0..all.len() {{ all[k] = all[k] * (k + 2) as f64; }}
        root.scatter_into_root(&all[..], &mut got[..]);
    }} else {{
        root.gather_into(&{s}[1..3]);
        root.scatter_into(&mut got[..]);
    }}
    {used}
}}"
        )
    }

    /// Messages to the next rank, which all receive what they can before; some wait at once, and each rank in its
    /// own order.
    fn requests(&mut self) -> String {
        let count = 1 + self.0.below(3);
        let mut body = Vec::new();
        let mut names = Vec::new();
        let tags: Vec<i64> = (0..count).map(|_| 5 * self.0.between(0, 1)).collect();
        for (k, tag) in tags.iter().enumerate() {
            let buffer = format!("got{k}");
            body.push(format!(
                "let r{k} = before.immediate_receive_into_with_tag(scope, &mut {buffer}[..], {tag});"
            ));
            names.push(format!("r{k}"));
        }
        for (k, tag) in tags.iter().enumerate() {
            let (s, at) = (self.read(), self.0.below(3));
            let data = format!("&{s}[{at}..{}]", at + 2);
            match self.0.below(3) {
                0 => body.push(format!("next.send_with_tag({data}, {tag});")),
                _ => {
                    body.push(format!("let s{k} = next.immediate_send_with_tag(scope, {data}, {tag});"));
                    names.push(format!("s{k}"));
                }
            }
        }
        let mut waits = [String::new(), String::new()];
        for order in &mut waits {
            let mut left = names.clone();
            while !left.is_empty() {
                let one = left.swap_remove(self.0.below(left.len()));
                order.push_str(&format!("{one}.wait(); "));
            }
        }
        let buffers: Vec<String> = (0..count).map(|k| format!("let mut got{k} = [0.0; 2];")).collect();
        let used: Vec<String> = (0..count).map(|k| self.used(&format!("got{k}"))).collect();
        let [even, odd] = waits;
        format!(
            "{{ {}\nmpi::request::scope(|scope| {{ {}\nif rank % 2 == 0 {{ {even} }} else {{ {odd} }} }});\n{} }}",
            buffers.join(" "),
            body.join("\n"),
            used.join("\n")
        )
    }

    fn requests_in_loops(&mut self) -> String {
        let (s, t, u) = (self.read(), self.written(), self.read());
        let wait = *self.0.pick(&[
            "for request in requests { request.wait(); }",
            "while let Some(request) = requests.pop() { request.wait(); }",
        ]);
        format!(
            "{{
    let mut all = vec![0.0; 4];
    mpi::request::scope(|scope| {{
        let mut requests = Vec::new();
        for piece in all.chunks_mut(2) {{ requests.push(before.immediate_receive_into(scope, piece)); }}
        for k in 0..2 {{ requests.push(next.immediate_send(scope, &{s}[2 * k - k..2 * k - k + 2])); }}
        {wait}
    }});
    for i in 0..4 {{ {t}[i] = all[i] * {u}[i]; }}
}}"
        )
    }
}
