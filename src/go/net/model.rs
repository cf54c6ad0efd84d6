//! What a network is made of, as it stands in a file.

/// A square convolution over neighbouring points.
#[derive(Debug, Clone, PartialEq)]
pub struct Conv {
    /// Points on a side: 1, 3 or 5.
    pub side: usize,
    pub inputs: usize,
    pub outputs: usize,
    /// By row (from the top), column, input, output.
    pub weights: Vec<f32>,
}

/// A scale and a bias for each channel; what comes after it is cut off below zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Norm {
    pub scale: Vec<f32>,
    pub bias: Vec<f32>,
}

/// All inputs to all outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    pub inputs: usize,
    pub outputs: usize,
    /// By input, output.
    pub weights: Vec<f32>,
}

/// A step of the trunk: what it finds is added to what came before.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    pub before: Norm,
    pub first: Conv,
    pub pooling: Option<Pooling>,
    pub between: Norm,
    pub second: Conv,
}

/// What the whole board says to each point.
#[derive(Debug, Clone, PartialEq)]
pub struct Pooling {
    pub conv: Conv,
    pub norm: Norm,
    pub to_bias: Dense,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PolicyHead {
    pub points: Conv,
    pub board: Conv,
    pub board_norm: Norm,
    pub board_to_points: Dense,
    pub norm: Norm,
    pub last: Conv,
    pub pass: Dense,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ValueHead {
    pub first: Conv,
    pub norm: Norm,
    pub hidden: Dense,
    pub hidden_bias: Vec<f32>,
    /// Win, loss, no result.
    pub value: Dense,
    pub value_bias: Vec<f32>,
    /// Mean score, its deviation, lead, and what this program has no use for.
    pub score: Dense,
    pub score_bias: Vec<f32>,
    pub ownership: Conv,
}

/// A network with its weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub name: String,
    /// The version of the file format, which decides about inputs and outputs.
    pub version: u32,
    pub first: Conv,
    pub first_global: Dense,
    pub blocks: Vec<Block>,
    pub last: Norm,
    pub policy: PolicyHead,
    pub value: ValueHead,
}

impl Model {
    /// How many numbers it has learned.
    pub fn parameters(&self) -> usize {
        let conv = |conv: &Conv| conv.weights.len();
        let norm = |norm: &Norm| norm.scale.len() + norm.bias.len();
        let dense = |dense: &Dense| dense.weights.len();
        let blocks: usize = self
            .blocks
            .iter()
            .map(|block| {
                let pooling = block.pooling.as_ref().map_or(0, |p| conv(&p.conv) + norm(&p.norm) + dense(&p.to_bias));
                norm(&block.before) + conv(&block.first) + pooling + norm(&block.between) + conv(&block.second)
            })
            .sum();
        let p = &self.policy;
        let policy = conv(&p.points)
            + conv(&p.board)
            + norm(&p.board_norm)
            + dense(&p.board_to_points)
            + norm(&p.norm)
            + conv(&p.last)
            + dense(&p.pass);
        let v = &self.value;
        let value = conv(&v.first)
            + norm(&v.norm)
            + dense(&v.hidden)
            + v.hidden_bias.len()
            + dense(&v.value)
            + v.value_bias.len()
            + dense(&v.score)
            + v.score_bias.len()
            + conv(&v.ownership);
        conv(&self.first) + dense(&self.first_global) + blocks + norm(&self.last) + policy + value
    }
}
